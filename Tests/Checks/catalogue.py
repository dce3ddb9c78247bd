"""The catalogue of scenarios names what there is: every file of the folder, and only suites and tests that exist."""

import re
from pathlib import Path
from typing import Iterator

from finding import Finding, string_literals, swift_files

CATALOGUE = "protocol/CATALOGUE.md"
SCENARIOS = "protocol/vectors/scenarios"

_FILE = re.compile(r"`([A-Z]+-?\d+(?:-[A-Za-z-]+)?)`")
_TESTS = re.compile(r'(\w+Tests)((?:,? "[^"]*")*)')


def check(root: Path) -> Iterator[Finding]:
    """A finding for each file, suite or test that is named and does not exist, and each scenario that is not named."""
    catalogue = root / CATALOGUE
    scenarios = {path.stem for path in (root / SCENARIOS).glob("*.jsonl")}
    suites: dict[str, list[str]] = {}
    for path in swift_files(root, "Tests"):
        strings = [text.strip('"').strip() for _, text in string_literals(path.read_text(encoding="utf-8"))]
        suites.setdefault(path.stem, []).extend(strings)
    named = set()
    for number, line in enumerate(catalogue.read_text(encoding="utf-8").split("\n"), 1):
        if not line.startswith("|"):
            continue
        for name in _FILE.findall(line):
            named.add(name)
            if name not in scenarios:
                yield Finding(catalogue, number, f"there is no scenario {name}")
        for suite, tests in _TESTS.findall(line):
            if suite not in suites:
                yield Finding(catalogue, number, f"there is no suite {suite}")
                continue
            for test in re.findall(r'"([^"]*)"', tests):
                if not any(text.startswith(test) for text in suites[suite]):
                    yield Finding(catalogue, number, f"{suite} has no test that begins with '{test}'")
    for name in sorted(scenarios - named):
        yield Finding(catalogue, 1, f"the scenario {name} is not named")
