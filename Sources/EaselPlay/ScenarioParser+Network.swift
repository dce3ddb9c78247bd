import EaselProtocol

/// Reading steps about the network, the server, the disk and time.
extension ScenarioParser {
    func networkStep(_ verb: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep {
        switch verb {
        case "hold": return try hold(&fields)
        case "release": return try release(&fields)
        case "duplicate": return .duplicate(client: try client(try fields.string(verb), fields))
        case "refuse": return .refuse(client: try client(try fields.string(verb), fields))
        case "connect": return .connect(clients: try clients(verb, &fields))
        case "disconnect": return .disconnect(clients: try clients(verb, &fields))
        case "kill": return .kill(clients: try clients(verb, &fields))
        case "return":
            return .revive(
                clients: try clients(verb, &fields), includesCanvas: try fields.bool("canvas") ?? true)
        case "role":
            let role = try role(verb, &fields)
            guard let role else { throw fields.error("'role' is missing") }
            return .role(role, clients: try clients("of", &fields))
        case "purge":
            let names = try fields.strings(verb)
            if names.isEmpty { throw fields.error("'purge' must name a shape") }
            for name in names { _ = try shape(name, fields) }
            return .purge(shapes: names, isText: try fields.bool("text") ?? false)
        case "restart":
            guard try fields.string(verb) == "server" else { throw fields.error("only the server can be restarted") }
            return .restart
        case "fail":
            guard try fields.string(verb) == Self.disk else { throw fields.error("only the disk can fail") }
            return .failDisk(keepsFirst: try fields.bool("kept") ?? false)
        default:
            let longest: Int64 = 3_600_000
            return .wait(milliseconds: UInt64(try fields.requiredInteger(verb, in: 0...longest)))
        }
    }

    private static let disk = "disk"

    private func hold(_ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep {
        let names = try fields.strings("hold")
        if names == [Self.disk] { return .holdDisk }
        if names.isEmpty { throw fields.error("'hold' must name a client") }
        return .hold(clients: try clients(named: names, fields), try direction(&fields))
    }

    private func release(_ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep {
        let names = try fields.strings("release")
        let count = try fields.integer("count", in: 1...Int64(Int32.max))
        if names == [Self.disk] { return .releaseDisk(count: count) }
        if names.isEmpty { throw fields.error("'release' must name a client") }
        let clients = try clients(named: names, fields)
        let direction = try direction(&fields)
        if count != nil, direction == .both { throw fields.error("'count' needs a 'direction', up or down") }
        return .release(clients: clients, direction, count: count)
    }

    private func direction(_ fields: inout ScenarioFields) throws(ScenarioError) -> ScenarioStep.Direction {
        switch try fields.string("direction", default: "both") {
        case "up": return .up
        case "down": return .down
        case "both": return .both
        default: throw fields.error("'direction' must be up, down or both")
        }
    }

    func role(_ key: String, _ fields: inout ScenarioFields) throws(ScenarioError) -> Role? {
        switch try fields.optionalString(key) {
        case nil: return nil
        case "viewer": return .viewer
        case "editor": return .editor
        default: throw fields.error("'\(key)' must be viewer or editor")
        }
    }
}
