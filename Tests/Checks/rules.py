"""Rules of the specification and tests name each other.

A rule is a line of protocol/SPEC.md that begins with its id in bold, two to five capitals, a hyphen and two or three
digits. A test carries a rule when a string in it, as a rule its name, contains the id.
"""

import re
from pathlib import Path
from typing import Iterator

from finding import Finding, string_literals, swift_files

SPECIFICATION = "protocol/SPEC.md"

_RULE = re.compile(r"^\*\*([A-Z]{2,5})-(\d{2,3})\*\*")
_CITATION = re.compile(r"(?<![\w-])([A-Z]{2,5})-(\d{2,3})(?![\w-])")


def check(root: Path) -> Iterator[Finding]:
    """A finding for each rule without a test, each rule given twice, and each id in a test that is no rule's."""
    specification = root / SPECIFICATION
    rules: dict[str, int] = {}
    for number, line in enumerate(specification.read_text(encoding="utf-8").split("\n"), 1):
        if found := _RULE.match(line):
            identifier = f"{found[1]}-{found[2]}"
            if identifier in rules:
                yield Finding(specification, number, f"{identifier} is also the rule of line {rules[identifier]}")
            else:
                rules[identifier] = number
    if not rules:
        yield Finding(specification, 1, "the specification has no rule with an id")
    prefixes = {identifier.split("-")[0] for identifier in rules}
    carried = set()
    for path in swift_files(root, "Tests"):
        for number, text in string_literals(path.read_text(encoding="utf-8")):
            for found in _CITATION.finditer(text):
                identifier = found[0]
                carried.add(identifier)
                if found[1] in prefixes and identifier not in rules:
                    yield Finding(path, number, f"{identifier} is not a rule of {SPECIFICATION}")
    for identifier, number in rules.items():
        if identifier not in carried:
            yield Finding(specification, number, f"no test carries {identifier}")
