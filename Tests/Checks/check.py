"""Runs every check on the repository; prints file, line and a sentence for each finding; exit code 1 if there is one.

    python3 Tests/Checks/check.py [ROOT]
"""

import sys
from pathlib import Path

import banned
import catalogue
import imports
import layout
import rules


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    findings = [
        *imports.check(root, imports.declared_targets(root)),
        *banned.check(root),
        *layout.check_size(root),
        *layout.check_paths(root),
    ]
    if (root / rules.SPECIFICATION).exists():
        findings += rules.check(root)
    else:
        print(f"check: {rules.SPECIFICATION} does not exist, so rule ids are not checked")
    if (root / catalogue.CATALOGUE).exists():
        findings += catalogue.check(root)
    for finding in findings:
        print(f"{finding.path.relative_to(root)}:{finding.line}: {finding.sentence}")
    print(f"check: {len(findings)} finding{'' if len(findings) == 1 else 's'}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
