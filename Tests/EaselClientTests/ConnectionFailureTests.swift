import EaselClient
import Testing

@Suite("Why there is no connection")
struct ConnectionFailureTests {
    @Test("starting a server is advised where nobody answers, and nowhere else")
    func advice() {
        let server = ServerAddress(host: "easel.example", port: 443, isSecure: true)
        let failures: [(ConnectionFailure, String)] = [
            (.noAnswer(server), "no Easel server answers at wss://easel.example:443; 'easel serve' starts a server"),
            (.unresolvable(host: "easel.example", detail: "gone"), "the host easel.example cannot be resolved: gone"),
            (
                .insecure(server, detail: "expired"),
                "there is no secure connection with wss://easel.example:443: expired"
            ),
            (.notEasel(server, status: nil), "what answers at wss://easel.example:443 is no Easel server"),
            (
                .notEasel(server, status: 404),
                "what answers at wss://easel.example:443 is no Easel server (HTTP status 404)"
            ),
            (.refused("the server is full"), "the server is full"),
        ]
        for (failure, advice) in failures { #expect(failure.advice == advice) }
    }
}
