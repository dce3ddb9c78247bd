"""Plants violations in a temporary folder and sees each check find them there, and nothing in clean files.

    python3 Tests/Checks/selftest.py
"""

import tempfile
import unittest
from pathlib import Path

import banned
import catalogue
import imports
import layout
import rules
from imports import Target

CORE = Target("EaselCore", "Sources/EaselCore", frozenset(), False)
TRANSPORT = Target("EaselTransport", "Sources/EaselTransport", frozenset({"CWebSockets", "EaselSupport"}), False)
TESTS = Target("EaselCoreTests", "Tests/EaselCoreTests", frozenset({"EaselCore"}), True)


class Planted(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def expect(self, findings, *places: str) -> None:
        found = [f"{finding.path.relative_to(self.root)}:{finding.line}" for finding in findings]
        self.assertEqual(sorted(found), sorted(places))


class ImportTests(Planted):
    def test_declared_imports_pass(self) -> None:
        self.write("Sources/EaselCore/A.swift", "// import Foundation\nlet text = \"\"\"\nimport Glibc\n\"\"\"\n")
        self.write("Sources/EaselTransport/A.swift", "private import CWebSockets\nimport Glibc\npublic import EaselSupport\n")
        self.write("Tests/EaselCoreTests/A.swift", "import Testing\n\n@testable import EaselCore\n")
        self.expect(imports.check(self.root, [CORE, TRANSPORT, TESTS]))

    def test_undeclared_imports_are_found(self) -> None:
        self.write("Sources/EaselCore/A.swift", "\npublic import Foundation\nimport struct Glibc.stat\n")
        self.write("Sources/EaselTransport/A.swift", "import EaselCore\nimport CSQLite\nimport Testing\n")
        self.write("Tests/EaselCoreTests/A.swift", "@testable import EaselTransport\n")
        self.expect(
            imports.check(self.root, [CORE, TRANSPORT, TESTS]),
            "Sources/EaselCore/A.swift:2", "Sources/EaselCore/A.swift:3", "Sources/EaselTransport/A.swift:1",
            "Sources/EaselTransport/A.swift:2", "Sources/EaselTransport/A.swift:3", "Tests/EaselCoreTests/A.swift:1")

    def test_a_declared_c_library_still_has_one_owner(self) -> None:
        self.write("Sources/EaselServer/A.swift", "import CWebSockets\n")
        server = Target("EaselServer", "Sources/EaselServer", frozenset({"CWebSockets"}), False)
        self.expect(imports.check(self.root, [server]), "Sources/EaselServer/A.swift:1")

    def test_the_owners_tests_may_declare_its_c_library(self) -> None:
        self.write("Tests/EaselTransportTests/A.swift", "import CWebSockets\nimport COpenSSL\n")
        tests = Target("EaselTransportTests", "Tests/EaselTransportTests", frozenset({"CWebSockets"}), True)
        self.expect(imports.check(self.root, [tests]), "Tests/EaselTransportTests/A.swift:2")

    def test_a_pure_target_must_not_declare_an_impure_one(self) -> None:
        core = CORE._replace(dependencies=frozenset({"EaselSupport"}))
        self.expect(imports.check(self.root, [core]), "Package.swift:1")


class BannedWordTests(Planted):
    PURE_VIOLATIONS = [
        "let t = Task { }", "func f() async {}", "await g()", "let c = ContinuousClock()", "let r = Int.random(in: 0..<3)",
        "let g = SystemRandomNumberGenerator()", "let s = [1].shuffled()", "let h = x.hashValue", "print(x)",
        "let n = list.map(\\.id)", "let k = \\Shape.id", "weak var a: A?", "let e: any Error", "let a: AnyHashable",
        "struct S: Codable {}", "func f() throws -> Int", "let s = String(describing: x)", "Dispatch.main()",
    ]

    def test_each_word_banned_in_pure_targets_is_found(self) -> None:
        for line in self.PURE_VIOLATIONS:
            with self.subTest(line):
                self.write("Sources/EaselCore/A.swift", f"\n{line}\n")
                self.assertEqual([each.line for each in banned.check(self.root)], [2])

    def test_other_targets_may_use_them(self) -> None:
        self.write("Sources/EaselServer/A.swift", "\n".join(self.PURE_VIOLATIONS))
        self.expect(banned.check(self.root))

    def test_clean_pure_code_passes(self) -> None:
        self.write(
            "Sources/EaselCore/A.swift",
            "/// print(x), try! and await stand in a comment\nlet s = \"async \\(x.y) \\(a) try!\"\n"
            "func f() throws(Flaw) -> Int { Int.random(in: 0..<3, using: &generator) }\nlet blueprint = imprint(x)\n")
        self.expect(banned.check(self.root))

    def test_words_banned_everywhere_are_found(self) -> None:
        self.write(
            "Sources/EaselServer/A.swift",
            "try! f()\nlet a = b as! C\n// TO" "DO later\nfatalError(\"not implemented\")\nlet x = 1  // FIX" "ME\n")
        self.expect(banned.check(self.root), *(f"Sources/EaselServer/A.swift:{line}" for line in range(1, 6)))

    def test_unchecked_sendable_wants_a_reason(self) -> None:
        self.write(
            "Sources/EaselServer/A.swift",
            "final class A: @unchecked Sendable {}\n// Guarded by the loop's thread.\nfinal class B: @unchecked Sendable {}\n"
            "nonisolated(unsafe) var x = 0\nnonisolated(unsafe) var y = 0  // Written once, before threads.\n"
            "let url = \"http://x\"; nonisolated(unsafe) var z = 0\n")
        self.expect(
            banned.check(self.root), "Sources/EaselServer/A.swift:1", "Sources/EaselServer/A.swift:4",
            "Sources/EaselServer/A.swift:6")


class LayoutTests(Planted):
    def test_a_long_file_is_found_and_a_full_one_passes(self) -> None:
        self.write("Sources/A/Full.swift", "\n" * layout.MAXIMUM_LINES)
        self.write("Sources/A/Long.swift", "\n" * (layout.MAXIMUM_LINES + 1))
        self.expect(layout.check_size(self.root), "Sources/A/Long.swift:501")

    def test_machine_paths_are_found(self) -> None:
        self.write("README.md", "see /" "work/main\n/usr/share is fine, so is https://host/home/x and a/tmp/b\n")
        self.write("run.sh", "cd '/" "tmp/x'\nls \"/" "home/ana\"\n")
        self.write(".build/log", "/" "tmp/x\n")
        self.expect(layout.check_paths(self.root), "README.md:1", "run.sh:1", "run.sh:2")


class RuleTests(Planted):
    SPECIFICATION = "# Rules\n**TX-01** One.\n**TX-02** Two, see **TX-01**.\n"

    def test_rules_carried_by_tests_pass(self) -> None:
        self.write(rules.SPECIFICATION, self.SPECIFICATION)
        self.write("Tests/A/A.swift", '@Test("TX-01 holds")\n@Test("TX-02, with SHA-256 and UTF-16, holds")\n')
        self.expect(rules.check(self.root))

    def test_a_rule_without_a_test_and_an_unknown_id_are_found(self) -> None:
        self.write(rules.SPECIFICATION, self.SPECIFICATION)
        self.write("Tests/A/A.swift", '// TX-02 in a comment does not count\n@Test("TX-01, TX-03 hold")\n')
        self.expect(rules.check(self.root), "protocol/SPEC.md:3", "Tests/A/A.swift:2")

    def test_an_id_given_twice_is_found(self) -> None:
        self.write(rules.SPECIFICATION, self.SPECIFICATION + "**TX-01** Again.\n")
        self.write("Tests/A/A.swift", '@Test("TX-01 TX-02 hold")\n')
        self.expect(rules.check(self.root), "protocol/SPEC.md:4")

    def test_a_specification_without_rules_is_found(self) -> None:
        self.write(rules.SPECIFICATION, "# Nothing yet\n")
        self.expect(rules.check(self.root), "protocol/SPEC.md:1")


class CatalogueTests(Planted):
    def test_what_exists_and_is_named_passes(self) -> None:
        self.write(catalogue.CATALOGUE, '| UR-001 | x | `UR-001`, ATests "C6: undo" | |\n')
        self.write(catalogue.SCENARIOS + "/UR-001.jsonl", "")
        self.write("Tests/A/ATests.swift", '@Test("C6: undo closes a group")\n')
        self.expect(catalogue.check(self.root))

    def test_missing_files_suites_and_tests_are_found(self) -> None:
        self.write(
            catalogue.CATALOGUE,
            '| UR-001 | x | `UR-001-AB` | |\n| UR-002 | x | BTests "x" | |\n| UR-003 | x | ATests "redo" | |\n')
        self.write(catalogue.SCENARIOS + "/UR-004.jsonl", "")
        self.write("Tests/A/ATests.swift", '@Test("undo")\n')
        self.expect(
            catalogue.check(self.root), "protocol/CATALOGUE.md:1", "protocol/CATALOGUE.md:2",
            "protocol/CATALOGUE.md:3", "protocol/CATALOGUE.md:1")


if __name__ == "__main__":
    unittest.main()
