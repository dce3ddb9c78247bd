import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol

/// The line above the canvas: which canvas, where it stands, whether one's work is stored, who else is there.
struct StatusLine: Sendable {
    let canvas: CanvasID
    let status: Status
    let others: [Participant]

    /// Digits of the digest that are shown.
    static let digestDigits = 8

    /// Whether one's edits are on the server's disk, in words.
    static func saveState(_ status: Status) -> String {
        let count = status.pendingCount
        switch status.link {
        case .live: return count == 0 ? "stored" : "sending \(count)"
        case .offline: return count == 0 ? "offline" : "offline, \(count) kept"
        case .connecting: return count == 0 ? "connecting" : "connecting, \(count) kept"
        case .synchronizing(let received, let total):
            return total == 0 ? "loading" : "loading \(received * 100 / total)%"
        case .inTrouble: return "in trouble: the server cannot store, \(count) kept"
        case .ended(let error): return "ended: \(error.message)"
        }
    }

    /// The digest's first digits.
    static func shortDigest(_ digest: UInt64) -> String {
        String(hexDigits(digest).prefix(digestDigits))
    }

    /// The digest as 16 hexadecimal digits.
    static func hexDigits(_ digest: UInt64) -> String {
        let digits = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Draws the line into the first row. Names of others stand at the right, as many as fit, and how many
    /// more there are.
    func draw(into grid: inout CellGrid) {
        let bar = Style(isReversed: true)
        grid.fill(0..<grid.columns, 0, bar)
        let colour: Colour = status.link == .live ? .rgb(0x5F, 0xB3, 0x5F) : .rgb(0xE6, 0x8A, 0x2E)
        var column = 1
        column += grid.put(canvas.rawValue, column, 0, Style(isBold: true, isReversed: true), width: grid.columns / 3)
        let place = "  #\(status.revision) \(Self.shortDigest(status.digest))  "
        column += grid.put(place, column, 0, bar)
        column += grid.put(grid.isASCII ? "*" : "●", column, 0, Style(foreground: colour))
        column += grid.put(" " + Self.saveState(status), column, 0, bar)
        if status.role == .viewer { column += grid.put("  looking only", column, 0, bar) }
        drawOthers(into: &grid, from: column + 2)
    }

    private func drawOthers(into grid: inout CellGrid, from start: Int) {
        let room = grid.columns - 1 - start
        var labels = others.map { (text: $0.presence.name, style: Style.ink(Colour.person($0.site), bold: true)) }
        var shown = labels.count
        while Self.width(labels) > room, shown > 0 {
            shown -= 1
            labels = Array(labels.prefix(shown)) + [("+\(others.count - shown)", .plain)]
        }
        guard !labels.isEmpty, Self.width(labels) <= room else { return }
        var column = grid.columns - Self.width(labels)
        grid.fill(column - 1..<grid.columns, 0, .plain)
        for label in labels { column += grid.put(label.text, column, 0, label.style, width: Self.nameColumns) + 1 }
    }

    private static func width(_ labels: [(text: String, style: Style)]) -> Int {
        labels.reduce(0) { $0 + min(CellWidth.columns($1.text), nameColumns) + 1 }
    }

    private static let nameColumns = 16
}
