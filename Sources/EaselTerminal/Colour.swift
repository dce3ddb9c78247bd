import EaselCore

/// A colour of the picture: the terminal's own, or 24 bits.
enum Colour: Hashable, Sendable {
    /// What the terminal shows where no colour is asked for.
    case standard
    /// Red, green and blue, 0 to 255 each.
    case rgb(UInt8, UInt8, UInt8)

    /// The colours that the editor offers, by the names that properties hold.
    static let named: [(name: String, colour: Colour)] = [
        ("red", .rgb(0xE0, 0x4F, 0x5F)), ("orange", .rgb(0xE6, 0x8A, 0x2E)), ("yellow", .rgb(0xE5, 0xC0, 0x4B)),
        ("green", .rgb(0x5F, 0xB3, 0x5F)), ("teal", .rgb(0x3A, 0xAF, 0xA9)), ("blue", .rgb(0x4F, 0x8F, 0xE6)),
        ("violet", .rgb(0xA8, 0x6F, 0xDC)), ("pink", .rgb(0xE0, 0x7A, 0xB8)), ("grey", .rgb(0x8A, 0x8F, 0x98)),
        ("white", .rgb(0xF2, 0xF2, 0xF2)), ("black", .rgb(0x1A, 0x1A, 0x1A)),
    ]

    /// The colours that the key for colours goes through, after none.
    static let cycle = ["red", "orange", "yellow", "green", "teal", "blue", "violet", "pink", "grey"]

    /// Reads what a property holds: a name of ``named`` or `#RRGGBB`. Nil for anything else.
    init?(_ text: String) {
        if let entry = Colour.named.first(where: { $0.name == text }) {
            self = entry.colour
            return
        }
        guard text.utf8.first == UInt8(ascii: "#"), text.utf8.count == 7, let bits = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self = .rgb(UInt8(bits >> 16 & 0xFF), UInt8(bits >> 8 & 0xFF), UInt8(bits & 0xFF))
    }

    /// The colour of a property, if it holds one.
    init?(_ value: Value?) {
        guard let text = value?.asString else { return nil }
        self.init(text)
    }

    /// The colour a person is shown in: the same on every screen, since it follows from the site alone.
    static func person(_ site: SiteID) -> Colour {
        named[Int(site.rawValue % 8)].colour
    }

    /// A text colour that can be read on this background.
    var contrast: Colour {
        guard case .rgb(let red, let green, let blue) = self else { return .standard }
        let brightness = (Int(red) * 299 + Int(green) * 587 + Int(blue) * 114) / 1000
        return brightness >= 128 ? .rgb(0x1A, 0x1A, 0x1A) : .rgb(0xF2, 0xF2, 0xF2)
    }
}

/// How many colours a terminal shows.
enum ColourDepth: String, CaseIterable, Sendable {
    case truecolor
    case palette256 = "256"
    case palette16 = "16"
    case none

    /// The number of the palette entry nearest to a colour; -1 is the terminal's own colour.
    func index(of colour: Colour) -> Int32 {
        guard case .rgb(let red, let green, let blue) = colour else { return -1 }
        switch self {
        case .truecolor, .palette256: return Palette.nearest256(red, green, blue)
        case .palette16: return Palette.nearest16(red, green, blue)
        case .none: return -1
        }
    }
}

/// The palettes that terminals agree on.
enum Palette {
    /// The levels of each component in the 6x6x6 cube of colours 16 to 231.
    private static let levels: [Int] = [0, 95, 135, 175, 215, 255]

    /// Colours 0 to 15 as terminals commonly show them.
    private static let sixteen: [(Int, Int, Int)] = [
        (0, 0, 0), (205, 49, 49), (13, 188, 121), (229, 229, 16), (36, 114, 200), (188, 63, 188), (17, 168, 205),
        (204, 204, 204), (118, 118, 118), (241, 76, 76), (35, 209, 139), (245, 245, 67), (59, 142, 234),
        (214, 112, 214), (41, 184, 219), (255, 255, 255),
    ]

    /// The nearest of the colours 16 to 255: the cube and the greys.
    static func nearest256(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int32 {
        let wanted = (Int(red), Int(green), Int(blue))
        let cube = [wanted.0, wanted.1, wanted.2].map(nearestLevel)
        let inCube = (levels[cube[0]], levels[cube[1]], levels[cube[2]])
        let greyStep = min(23, max(0, ((wanted.0 + wanted.1 + wanted.2) / 3 - 3) / 10))
        let grey = 8 + 10 * greyStep
        if distance(wanted, (grey, grey, grey)) < distance(wanted, inCube) { return Int32(232 + greyStep) }
        return Int32(16 + 36 * cube[0] + 6 * cube[1] + cube[2])
    }

    /// The nearest of the colours 0 to 15.
    static func nearest16(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int32 {
        let wanted = (Int(red), Int(green), Int(blue))
        var best = 0
        for index in sixteen.indices where distance(wanted, sixteen[index]) < distance(wanted, sixteen[best]) {
            best = index
        }
        return Int32(best)
    }

    private static func nearestLevel(_ value: Int) -> Int {
        var best = 0
        for index in levels.indices where abs(levels[index] - value) < abs(levels[best] - value) { best = index }
        return best
    }

    private static func distance(_ left: (Int, Int, Int), _ right: (Int, Int, Int)) -> Int {
        let (red, green, blue) = (left.0 - right.0, left.1 - right.1, left.2 - right.2)
        return red * red + green * green + blue * blue
    }
}
