"""File sizes, and paths that exist on one machine only."""

import os
import re
from pathlib import Path
from typing import Iterator

from finding import Finding, swift_files

MAXIMUM_LINES = 500

_MACHINE_PATH = re.compile(r"(?<![\w.}\-/*])/(?:work|tmp|home|root|Users|opt)/\w")
_SKIPPED = {".git", ".build", "build", "data", "__pycache__"}


def check_size(root: Path) -> Iterator[Finding]:
    """A finding for each Swift file that wants splitting by topic."""
    for path in swift_files(root, "Sources", "Tests"):
        count = len(path.read_text(encoding="utf-8").splitlines())
        if count > MAXIMUM_LINES:
            yield Finding(path, MAXIMUM_LINES + 1, f"{count} lines, more than {MAXIMUM_LINES}; split it by topic")


def check_paths(root: Path) -> Iterator[Finding]:
    """A finding for each absolute path into somebody's folders, in any text file of the repository."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(names):
            path = Path(folder) / name
            if path.is_symlink() or b"\0" in (content := path.read_bytes()):
                continue
            for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
                if found := _MACHINE_PATH.search(line):
                    yield Finding(path, number, f"`{found[0]}...` is a path of one machine")
