"""Words that must not stand in the code: some nowhere, more in the pure targets."""

import re
from pathlib import Path
from typing import Iterator

from finding import Finding, code_lines, swift_files
from imports import PURE

# In code, in all targets.
EVERYWHERE = [
    (r"\btry!", "force try; handle the error or use a precondition that says why it cannot happen"),
    (r"\bas!", "forced cast; use `as?` and handle nil"),
]

# In code, in pure targets: what makes replicas differ, what a wasm module has not, what Embedded Swift refuses.
PURE_ONLY = [
    (r"\b(?:Foundation|Glibc|Dispatch|Synchronization)\b", "a pure target does without this module"),
    (r"\b(?:Task|TaskGroup|async|await|actor)\b", "a pure target has no concurrency: events in, actions out"),
    (r"\b(?:ContinuousClock|SuspendingClock|DispatchTime|clock_gettime|gettimeofday)\b",
     "a pure target has no clock: time comes in as an argument"),
    (r"\b(?:SystemRandomNumberGenerator|arc4random\w*|getrandom)\b", "a pure target has no random source"),
    (r"\brandom\((?![^()]*\busing:)|\b(?:shuffled?|randomElement)\(\)",
     "a pure target has no random source: pass a generator with `using:`"),
    (r"\.hashValue\b", "hash values differ from process to process"),
    (r"\b(?:print|debugPrint|dump)\(", "a pure target prints nothing"),
    (r"\bMirror\b|\bString\((?:describing|reflecting|format):", "Embedded Swift has no reflection and no formats"),
    (r"(?<![\w)\\])\\(?:[A-Z]\w*)?\.\w", "Embedded Swift has no key paths, not even as functions: write a closure"),
    (r"\b(?:weak|unowned)\b", "Embedded Swift has no weak and no unowned references"),
    (r"\bany [A-Z]\w*", "Embedded Swift has no values of protocol types: use a generic or an enum"),
    (r"\b(?:AnyHashable|AnySequence|AnyIterator|AnyCollection)\b",
     "Embedded Swift lacks this type or its compiler does not end on it"),
    (r"\b(?:Codable|Encodable|Decodable)\b", "Embedded Swift has no Codable"),
    (r"\bthrows\b(?!\s*\()", "Embedded Swift has typed throws only: throws(SomeError)"),
]

# In raw lines, comments and strings included, of all targets and tests.
IN_TEXT = [
    (r"\b(?:TODO|FIXME|XXX)\b", "unfinished work belongs into an issue"),
    (r'fatalError\("[^"]*not (?:yet )?implemented', "a stub"),
]

_UNSAFE = re.compile(r"@unchecked\s+Sendable\b|\bnonisolated\(unsafe\)")


def check(root: Path) -> Iterator[Finding]:
    """A finding for each banned word."""
    for path in swift_files(root, "Sources", "Tests"):
        source = path.read_text(encoding="utf-8")
        parts = path.relative_to(root).parts
        rules = []
        if parts[0] == "Sources":
            rules = EVERYWHERE + (PURE_ONLY if parts[1] in PURE else [])
        raw, code = source.split("\n"), code_lines(source)
        yield from _matches(path, code, rules)
        yield from _matches(path, raw, IN_TEXT)
        yield from _unexplained(path, raw, code)


def _matches(path: Path, lines: list[str], rules: list[tuple[str, str]]) -> Iterator[Finding]:
    for pattern, reason in rules:
        expression = re.compile(pattern)
        for number, line in enumerate(lines, 1):
            if found := expression.search(line):
                yield Finding(path, number, f"`{found[0].strip()}`: {reason}")


def _unexplained(path: Path, raw: list[str], code: list[str]) -> Iterator[Finding]:
    for index, line in enumerate(code):
        found = _UNSAFE.search(line)
        if found and not _has_comment(raw, code, index):
            yield Finding(path, index + 1, f"`{found[0]}` without its reason in a comment on this line or above it")


def _has_comment(raw: list[str], code: list[str], index: int) -> bool:
    if "//" in raw[index][len(code[index].rstrip()):]:
        return True
    above = index - 1
    while above >= 0 and raw[above].strip().startswith("@"):
        above -= 1
    return above >= 0 and raw[above].strip().startswith("//")
