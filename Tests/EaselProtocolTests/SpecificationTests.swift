import EaselCore
import EaselProtocol
import Foundation
import Testing

/// What `protocol/SPEC.md` shows is what the tests check.
@Suite("The specification's examples and tables")
struct SpecificationTests {
    private let page: String
    /// Without blanks and line ends, since long bytes are broken into lines.
    private let dense: String

    init() throws {
        page = try ProtocolFiles.text("SPEC.md")
        dense = page.filter { !$0.isWhitespace }
    }

    /// The cells of each table row that begins with a cell of this form.
    private func rows(_ isFirst: (String) -> Bool) -> [[String]] {
        page.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }.filter { isFirst($0[0]) }
    }

    @Test("MSG-04 every valid message and operation of the vectors is an example of the page, in both notations")
    func examples() throws {
        for item in try ProtocolFiles.cases("messages", of: VectorTests.MessageCase.self) where item.verdict == .valid {
            #expect(page.contains(item.diagnostic), "\(item.name)")
            #expect(dense.contains(item.hex), "\(item.name)")
        }
    }

    @Test("DG-02 the worked digest is that of the canvas it describes")
    func digest() {
        let canvas = canvas(after: [[create("A")]])
        let digits = String(canvas.digest, radix: 16)
        #expect(dense.contains("digest,thesummodulo2^64" + String(repeating: "0", count: 16 - digits.count) + digits))
    }

    @Test("TX-03 the worked text comes out as the page says")
    func workedText() throws {
        var canvas = canvas(after: [
            [create("A", text: TextInsertion(first: character(7, 1), characters: "ab", left: nil, right: nil))]
        ])
        let insertions = [
            insert(character(8, 1), "XX", left: character(7, 1), right: character(7, 2)),
            insert(character(9, 1), "Y", left: character(7, 1), right: character(7, 2)),
            insert(character(8, 3), "Z", left: character(8, 2), right: character(7, 2)),
        ]
        for (insertion, row) in zip(insertions, rows { ["2", "3", "4"].contains($0) }.filter { $0.count == 6 }) {
            _ = canvas.apply([insertion])
            #expect(row[5] == "`\(canvas[shape("A")]?.text.string ?? "")`")
        }
        #expect(canvas[shape("A")]?.text.string == "aXXZYb")
    }

    @Test("LM-01 the table of limits states the numbers of the program")
    func limits() {
        let numbers: [String: UInt64] = [
            "Limits.shapeIDBytes": UInt64(Limits.shapeIDBytes), "Limits.kindBytes": UInt64(Limits.kindBytes),
            "Limits.propertyKeyBytes": UInt64(Limits.propertyKeyBytes),
            "Limits.orderKeyBytes": UInt64(Limits.orderKeyBytes),
            "Limits.propertiesPerShape": UInt64(Limits.propertiesPerShape),
            "Limits.valueDepth": UInt64(Limits.valueDepth),
            "Limits.valueBytes": UInt64(Limits.valueBytes),
            "Limits.operationsPerTransaction": UInt64(Limits.operationsPerTransaction),
            "Limits.targetsPerOperation": UInt64(Limits.targetsPerOperation),
            "Limits.charactersPerInsertion": UInt64(Limits.charactersPerInsertion),
            "Limits.insertionsPerTransaction": UInt64(Limits.insertionsPerTransaction),
            "Limits.charactersPerText": UInt64(Limits.charactersPerText),
            "Limits.purgedCharactersPerText": UInt64(Limits.purgedCharactersPerText),
            "Limits.labelBytes": UInt64(Limits.labelBytes),
            "Limits.nesting": UInt64(Limits.nesting), "Limits.counter": Limits.counter,
            "ProtocolLimits.clientMessageBytes": UInt64(ProtocolLimits.clientMessageBytes),
            "ProtocolLimits.firstMessageBytes": UInt64(ProtocolLimits.firstMessageBytes),
            "ProtocolLimits.frameBytes": UInt64(ProtocolLimits.frameBytes),
            "ProtocolLimits.snapshotPartBytes": UInt64(ProtocolLimits.snapshotPartBytes),
            "ProtocolLimits.snapshotBytes": ProtocolLimits.snapshotBytes,
            "ProtocolLimits.nameBytes": UInt64(ProtocolLimits.nameBytes),
            "ProtocolLimits.presenceBytes": UInt64(ProtocolLimits.presenceBytes),
            "ProtocolLimits.selectedShapes": UInt64(ProtocolLimits.selectedShapes),
            "ProtocolLimits.previewShapes": UInt64(ProtocolLimits.previewShapes),
            "ProtocolLimits.errorMessageBytes": UInt64(ProtocolLimits.errorMessageBytes),
            "ProtocolLimits.nesting": UInt64(ProtocolLimits.nesting),
            "Limits.versionNameBytes": UInt64(Limits.versionNameBytes),
            "Limits.versionsPerCanvas": UInt64(Limits.versionsPerCanvas),
            "ProtocolLimits.transactionsInFlight": UInt64(ProtocolLimits.transactionsInFlight),
        ]
        var stated: [String: UInt64] = [:]
        for row in rows({ _ in true }) where row.count == 3 && row[2].contains("Limits.") {
            stated[row[2].filter { $0 != "`" }] = UInt64(row[1].filter { $0 != "," })
        }
        #expect(stated == numbers)
    }

    @Test("TR-01 TR-02 path and subprotocol are those of the program")
    func endpoint() {
        #expect(page.contains("**TR-01** The path is `\(WebSocketEndpoint.path)`."))
        #expect(page.contains("**TR-02** The client offers the subprotocol `\(WebSocketEndpoint.subprotocol)`"))
    }

    @Test("MSG-17 the tables of codes are those of the program")
    func codes() {
        let codes = rows { UInt64($0) != nil }
        let short = codes.filter { $0.count == 3 && $0[1].hasPrefix("`") }
        let errors = short.filter { row in ["no", "later", "soon", "yes"].contains { row[2].hasPrefix($0) } }
        #expect(errors.count == 8)
        for row in errors {
            let code = UInt64(row[0]).flatMap { ProtocolErrorCode(rawValue: $0) }
            #expect(code.map { "`\($0)`" } == row[1])
            #expect(code?.isRetryable == !row[2].hasPrefix("no"))
        }
        let refusals = codes.filter { $0.count == 4 && $0[1].hasPrefix("`") }
        #expect(refusals.count == 4)
        for row in refusals {
            let code = UInt64(row[0]).flatMap { RefusalCode(rawValue: $0) }
            #expect(code.map { "`\($0)`" } == row[1])
            #expect(code?.isTemporary == (row[3] == "yes"))
        }
        let versions = short.filter { row in !errors.contains(row) }
        #expect(versions.count == 7)
        for row in versions {
            #expect(UInt64(row[0]).flatMap { VersionRefusal(rawValue: $0) }.map { "`\($0)`" } == row[1])
        }
    }
}
