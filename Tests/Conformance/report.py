"""Writes what Autobahn|Testsuite shall do, and judges what it found.

usage: report.py spec URL REPORTS CASES      prints the specification
       report.py judge REPORTS               prints every bad case and a summary; exit code 1 where one is bad
"""

import json
import pathlib
import sys

AGENT = "easel"
# Cases of 12 and 13 are about compression, which is not offered.
EXCLUDED = ["12.*", "13.*"]
# What the suite says of a case in which the standard leaves both outcomes open.
GOOD = {"OK", "INFORMATIONAL"}


def spec(url, reports, cases):
    return {
        "outdir": reports,
        "servers": [{"agent": AGENT, "url": url}],
        "cases": cases.split(","),
        "exclude-cases": EXCLUDED,
        "exclude-agent-cases": {},
    }


def case_number(name):
    return [int(part) for part in name.split(".")]


def judge(reports):
    index = pathlib.Path(reports) / "index.json"
    # The suite succeeds, and writes nothing, where it could not connect at all.
    if not index.exists():
        print("the suite wrote no report")
        return 1
    results = json.loads(index.read_text()).get(AGENT)
    if results is None:
        print("the suite could not connect")
        return 1
    bad = 0
    for name in sorted(results, key=case_number):
        result = results[name]
        if result["behavior"] in GOOD and result["behaviorClose"] in GOOD:
            continue
        bad += 1
        detail = json.loads((pathlib.Path(reports) / result["reportfile"]).read_text())
        print(f"{name}: behaviour {result['behavior']}, close {result['behaviorClose']}: {detail['result']}")
    print(f"{len(results) - bad} passed, {bad} failed")
    return 1 if bad or not results else 0


if __name__ == "__main__":
    if sys.argv[1] == "spec":
        json.dump(spec(sys.argv[2], sys.argv[3], sys.argv[4]), sys.stdout, indent=1)
    else:
        sys.exit(judge(sys.argv[2]))
