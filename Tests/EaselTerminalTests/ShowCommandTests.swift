import EaselClient
import EaselCore
import EaselSupport
import Testing

@testable import EaselTerminal

@Suite("easel show, and what it shares with edit")
struct ShowCommandTests {
    @Test("a picture that is a part says so, and an empty one, too; a whole one needs no remark")
    func remarks() throws {
        let plan = try #require(CanvasID("plan"))
        var editor = Editor()
        func remark(_ width: Int, _ height: Int) -> String? {
            ShowCommand.remark(on: editor.canvas, name: plan, width: width, height: height)
        }
        #expect(remark(80, 24) == "the canvas plan has no visible shapes")
        editor.draw("r", (4, 2), (15, 7))
        #expect(remark(12, 6) == nil)
        let whole = "the picture is cut to"
        #expect(
            remark(11, 6) == "\(whole) 11 of 12 columns and 6 of 6 rows; --width and --height take more")
        #expect(
            remark(80, 5) == "\(whole) 12 of 12 columns and 5 of 6 rows; --width and --height take more")
        editor.type("u")
        #expect(remark(80, 24) == "the canvas plan has no visible shapes")
    }

    private func mistake(_ words: [String], environment: [String: String] = [:]) -> ArgumentError? {
        do throws(ArgumentError) {
            _ = try CanvasTarget(Arguments(words, syntax: EditCommand.syntax, environment: environment))
            return nil
        } catch {
            return error
        }
    }

    @Test("a bad value is blamed on the place it came from")
    func blame() {
        let address = "an address like ws://127.0.0.1:8787"
        #expect(
            mistake(["plan", "--server", "http://x"])
                == .badValue(name: "--server", value: "http://x", expected: address))
        #expect(
            mistake(["plan"], environment: ["EASEL_SERVER": "http://x"])
                == .badValue(name: "EASEL_SERVER", value: "http://x", expected: address))
        let long = String(repeating: "n", count: 65)
        #expect(
            mistake(["plan"], environment: ["EASEL_NAME": long])
                == .badValue(name: "EASEL_NAME", value: long, expected: "1 to 64 bytes long"))
        #expect(
            mistake(["a b"])
                == .badValue(name: "<canvas>", value: "a b", expected: "1 to 128 letters, digits or . _ ~ -"))
    }

    @Test("a word with one dash is no canvas, unless it stands behind two")
    func dashes() {
        #expect(mistake(["-n"]) == .unknownFlag("-n", suggestion: nil))
        #expect(mistake(["-server", "x"]) == .unknownFlag("-server", suggestion: "--server"))
        #expect(mistake(["--", "-n"]) == nil)
    }
}
