import EaselCore
import Testing

@Suite("Values, properties, names")
struct ValueTests {
    @Test("integral doubles within 2^53 become integers, others stay, what is not finite is refused")
    func numbers() {
        #expect(Value.number(3) == .integer(3))
        #expect(Value.number(-0.0) == .integer(0))
        #expect(Value.number(0.5) == .double(0.5))
        #expect(Value.number(9_007_199_254_740_992) == .integer(9_007_199_254_740_992))
        #expect(Value.number(-9_007_199_254_740_992) == .integer(-9_007_199_254_740_992))
        #expect(Value.number(9_007_199_254_740_994) == .double(9_007_199_254_740_994))
        #expect(Value.number(1e300) == .double(1e300))
        #expect(Value.number(.leastNonzeroMagnitude) == .double(.leastNonzeroMagnitude))
        #expect(Value.number(.nan) == nil)
        #expect(Value.number(.infinity) == nil)
    }

    @Test("only the canonical form is canonical")
    func canonical() {
        #expect(Value.double(0.5).isCanonical)
        #expect(!Value.double(2).isCanonical)
        #expect(!Value.double(-0.0).isCanonical)
        #expect(!Value.double(.nan).isCanonical)
        #expect(!Value.list([.double(.infinity)]).isCanonical)
        #expect(Value.list([.list([.list([.integer(1)])])]).isCanonical)
        #expect(Value.list([.list([.list([.list([])])])]).isCanonical)
        #expect(!Value.list([.list([.list([.list([.integer(1)])])])]).isCanonical)
        #expect(!Value.map(Properties([(propertyKey("a"), .double(1))])).isCanonical)
        let many = Properties((0...Limits.propertiesPerShape).map { (propertyKey("k\($0)"), .bool(true)) })
        #expect(!Value.map(many).isCanonical)
    }

    @Test("strings and keys are equal by their bytes, not by Unicode equivalence")
    func bytes() {
        #expect("\u{E9}" == "e\u{301}")
        #expect(Value.string("\u{E9}") != .string("e\u{301}"))
        #expect(propertyKey("\u{E9}") != propertyKey("e\u{301}"))
        #expect(Set([propertyKey("\u{E9}"), propertyKey("e\u{301}")]).count == 2)
        #expect(Value.integer(1) != .double(1))
        #expect(Value.double(0) != .double(-0.0))
    }

    @Test("properties behave as a dictionary kept in canonical order")
    func properties() {
        var random = SplitMix64(seed: 2)
        let keys = (0..<60).map { propertyKey(String(repeating: "k", count: 1 + $0 % 7) + String($0)) }
        var properties = Properties()
        var model: [PropertyKey: Value] = [:]
        for step in 0..<3_000 {
            let key = random.pick(keys)
            let value: Value? = random.once(in: 3) ? nil : .integer(Int64(step))
            properties[key] = value
            model[key] = value
            #expect(properties[key] == value)
            #expect(properties.count == model.count)
        }
        #expect(properties.map(\.key) == model.keys.sorted())
        for key in keys { #expect(properties[key] == model[key]) }
        #expect(Properties(model.map { ($0.key, $0.value) }) == properties)
    }

    @Test("of a repeated key the last value is kept")
    func repeated() {
        let properties = Properties([(propertyKey("a"), .integer(1)), (propertyKey("a"), .integer(2))])
        #expect(properties.count == 1)
        #expect(properties[propertyKey("a")] == .integer(2))
    }

    @Test("names have their lengths and characters checked")
    func names() {
        #expect(ShapeID("") == nil)
        #expect(ShapeID(String(repeating: "a", count: 33)) == nil)
        #expect(ShapeID("a b") == nil)
        #expect(ShapeID("é") == nil)
        #expect(ShapeID("\u{7F}") == nil)
        #expect(ShapeID("!~") != nil)
        #expect(PropertyKey("") == nil)
        #expect(PropertyKey(String(repeating: "é", count: 33)) == nil)
        #expect(PropertyKey(String(repeating: "é", count: 32)) != nil)
        #expect(CanvasID("a/b") == nil)
        #expect(CanvasID("A.z_0~-") != nil)
        #expect(CanvasID(String(repeating: "a", count: 129)) == nil)
        #expect(SiteID(0) == nil)
        #expect(SiteID(SiteID.maximum) != nil)
        #expect(SiteID(SiteID.maximum + 1) == nil)
        // Every number gives a client's site, none the server's.
        for random in [0, 1, SiteID.maximum - 2, SiteID.maximum - 1, SiteID.maximum, .max] {
            #expect((1..<SiteID.maximum).contains(SiteID(random: random).rawValue), "\(random)")
        }
        #expect(
            SiteID(random: SiteID.maximum - 2).rawValue == SiteID.maximum - 1
                && SiteID.server.rawValue == SiteID.maximum)
    }

    @Test("the shape ids of one site are 15 characters, differ, and rise")
    func shapeIDs() {
        let first = ShapeID(site: site(SiteID.maximum), counter: 0)
        let last = ShapeID(site: site(SiteID.maximum), counter: 56_800_235_583)
        #expect(first.rawValue.utf8.count == 15)
        #expect(last.rawValue.hasSuffix("zzzzzz"))
        #expect(first < last)
        #expect(ShapeID(first.rawValue) == first)
        #expect(ShapeID(site: site(1), counter: 5) != ShapeID(site: site(2), counter: 5))
    }
}
