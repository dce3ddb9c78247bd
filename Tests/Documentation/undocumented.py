"""Names each public symbol without a comment, from symbol graphs; exit code 1 if there is one.

    python3 Tests/Documentation/undocumented.py FOLDER
"""

import json
import sys
from pathlib import Path


def main() -> int:
    count = 0
    missing = []
    for path in sorted(Path(sys.argv[1]).rglob("*.symbols.json")):
        for symbol in json.loads(path.read_text(encoding="utf-8"))["symbols"]:
            count += 1
            if "docComment" not in symbol:
                place = symbol.get("location", {})
                file = place.get("uri", "").rpartition("/")[2]
                line = place.get("position", {}).get("line", -1) + 1
                missing.append(f"{file}:{line}: {'.'.join(symbol['pathComponents'])} has no comment")
    for each in sorted(missing):
        print(each)
    print(f"docs: {count} public symbols, {len(missing)} without a comment")
    if not count:
        print("docs: there are no symbol graphs")
    return 1 if missing or not count else 0


if __name__ == "__main__":
    sys.exit(main())
