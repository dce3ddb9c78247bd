"""Each target imports what Package.swift declares for it, and pure targets nothing else."""

import json
import re
import subprocess
from pathlib import Path
from typing import Iterator, NamedTuple

from finding import Finding, code_lines

PURE = {"EaselCore", "EaselProtocol", "EaselWebSocket", "EaselServerEngine", "EaselClientEngine"}

# What comes with the toolchain; open to every target that is not pure.
SYSTEM = {"Dispatch", "Foundation", "Glibc", "Synchronization"}

# C libraries have one Swift owner each, so that handles and result codes stay behind it. The owner's tests may
# declare the library too, to plant faults below the owner, and the benchmarks, to measure what it costs bare.
OWNERS = {
    "CWebSockets": "EaselTransport",
    "COpenSSL": "EaselTransport",
    "CSQLite": "EaselStorage",
    "CTickit": "EaselTerminal",
}

_IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:actor|class|enum|func|let|protocol|struct|typealias|var)\s+)?(\w+)"
)


class Target(NamedTuple):
    """A Swift target as Package.swift declares it."""

    name: str
    folder: str
    dependencies: frozenset[str]
    is_test: bool


def declared_targets(root: Path) -> list[Target]:
    """The Swift targets of the package; asks SwiftPM, so that Package.swift may be written in any way."""
    command = ["swift", "package", "--package-path", str(root), "--scratch-path", str(root / ".build"), "dump-package"]
    package = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return [_target(each) for each in package["targets"] if each["type"] != "system"]


def _target(described: dict) -> Target:
    is_test = described["type"] == "test"
    folder = described.get("path") or ("Tests/" if is_test else "Sources/") + described["name"]
    dependencies = frozenset(
        next(iter(dependency.values()))[0] for dependency in described["dependencies"]
    )
    return Target(described["name"], folder, dependencies, is_test)


def check(root: Path, targets: list[Target]) -> Iterator[Finding]:
    """A finding for each import that is not declared or not this target's to make."""
    for target in targets:
        if target.name in PURE:
            for impure in sorted(target.dependencies - PURE):
                yield Finding(root / "Package.swift", 1, f"{target.name} is pure and must not depend on {impure}")
        for path in sorted((root / target.folder).rglob("*.swift")):
            for number, line in enumerate(code_lines(path.read_text(encoding="utf-8")), 1):
                found = _IMPORT.match(line)
                if found and (sentence := _objection(target, found[1])):
                    yield Finding(path, number, sentence)


def _objection(target: Target, module: str) -> str | None:
    owner = OWNERS.get(module)
    if owner and target.name not in (owner, f"{owner}Tests", "benchmarks"):
        return f"{target.name} must not import {module}: only {owner} does"
    if module in target.dependencies:
        return None
    if target.name in PURE:
        return f"{target.name} is pure and must not import {module}"
    if module in SYSTEM or (target.is_test and module == "Testing"):
        return None
    return f"{target.name} imports {module}, which Package.swift does not declare for it"
