"""What a check found, and how Swift source is read by all checks."""

import re
from pathlib import Path
from typing import Iterator, NamedTuple


class Finding(NamedTuple):
    """A place and a sentence about it."""

    path: Path
    line: int
    sentence: str


def swift_files(root: Path, *folders: str) -> Iterator[Path]:
    """Every Swift file below the folders, sorted, without build products and without following symbolic links."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.swift")):
            parts = path.relative_to(root).parts
            if ".build" not in parts and not any(parent.is_symlink() for parent in path.parents):
                yield path


_TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)'
    r'|(?P<string>#+"""(?s:.*?)"""#+|"""(?s:.*?)"""|#+"[^\n]*?"#+|"(?:\\.|[^"\\\n])*")',
    re.DOTALL,
)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def code_lines(source: str) -> list[str]:
    """The lines with comments and the contents of strings blanked out, so that only code is searched."""

    def blanked(match: re.Match[str]) -> str:
        if match["comment"]:
            return _blank(match[0])
        return '"' + _blank(match[0][1:-1]) + '"'

    return _TOKEN.sub(blanked, source).split("\n")


def string_literals(source: str) -> Iterator[tuple[int, str]]:
    """Each string literal with the line it begins on."""
    for match in _TOKEN.finditer(source):
        if match["string"]:
            yield source.count("\n", 0, match.start()) + 1, match["string"]
