import EaselWebSocket
import Testing

/// A good handshake that tests change line by line.
struct HandshakeRequest {
    var start = "GET /c/demo HTTP/1.1"
    var lines = [
        "Host: 127.0.0.1:9001", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
    ]
    var tail: [UInt8] = []

    func without(_ name: String) -> HandshakeRequest {
        var changed = self
        changed.lines.removeAll { $0.hasPrefix(name + ":") }
        return changed
    }

    func with(_ name: String, _ value: String) -> HandshakeRequest { without(name).adding("\(name): \(value)") }

    func adding(_ more: String...) -> HandshakeRequest {
        var changed = self
        changed.lines += more
        return changed
    }

    func starting(_ start: String) -> HandshakeRequest {
        var changed = self
        changed.start = start
        return changed
    }

    var bytes: [UInt8] { utf8(([start] + lines).map { $0 + "\r\n" }.joined() + "\r\n") + tail }

    func outcome(limits: HeadLimits = .standard) -> ServerHandshake.Outcome { serverOutcome(bytes, limits: limits) }
}

func serverOutcome(_ bytes: [UInt8], limits: HeadLimits = .standard) -> ServerHandshake.Outcome {
    var handshake = ServerHandshake(limits: limits)
    return handshake.receive(bytes)
}

/// Expects a refusal for `reason` whose response begins with `status` and closes the connection.
func expectRefusal(
    _ outcome: ServerHandshake.Outcome, _ reason: ServerHandshake.Refusal, _ status: Int,
    location: SourceLocation = #_sourceLocation
) {
    guard case .refuse(let refusal, let response) = outcome else {
        Issue.record("not refused: \(outcome)", sourceLocation: location)
        return
    }
    let text = String(decoding: response, as: UTF8.self)
    #expect(refusal == reason, sourceLocation: location)
    #expect(text.hasPrefix("HTTP/1.1 \(status) "), sourceLocation: location)
    #expect(text.contains("\r\nConnection: ") && text.contains("close\r\n"), sourceLocation: location)
    #expect(text.contains("\r\n\r\n"), sourceLocation: location)
}

/// The upgrade in `outcome`, or a failed test.
func requireUpgrade(
    _ outcome: ServerHandshake.Outcome, location: SourceLocation = #_sourceLocation
) throws -> UpgradeRequest {
    guard case .upgrade(let request, _) = outcome else {
        Issue.record("no upgrade: \(outcome)", sourceLocation: location)
        throw MissingOutcome()
    }
    return request
}

/// The plain request in `outcome`, or a failed test.
func requirePlain(
    _ outcome: ServerHandshake.Outcome, location: SourceLocation = #_sourceLocation
) throws -> RequestHead {
    guard case .request(let head, _) = outcome else {
        Issue.record("no plain request: \(outcome)", sourceLocation: location)
        throw MissingOutcome()
    }
    return head
}

struct MissingOutcome: Error {}
