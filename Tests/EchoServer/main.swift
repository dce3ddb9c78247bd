// A WebSocket echo server over the product's own transport and protocol code, for the conformance run.

import EaselSupport
import EaselTransport
import Glibc

let syntax = CommandSyntax(
    name: "echo-server", summary: "Send every WebSocket message back to its sender.",
    flags: [
        .init("port", value: "PORT", help: "port on 127.0.0.1; 0 lets the system choose"),
        .init("tls-cert", value: "FILE", help: "speak TLS with this certificate"),
        .init("tls-key", value: "FILE", help: "and this key"),
    ])

do {
    let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()), syntax: syntax, environment: [:])
    let port = try arguments.integer("port", in: 0...65_535, default: 0)
    var identity: TLSIdentity?
    if let certificate = arguments.text("tls-cert"), let key = arguments.text("tls-key") {
        identity = try TLSIdentity(certificateFile: certificate, keyFile: key)
    }
    let signals = SignalWatch([.interrupt, .terminate])
    let loop = try EventLoop(name: "echo", log: Log())
    let listener = try loop.listen(host: "127.0.0.1", port: port, identity: identity) { _ in EchoSession() }
    try loop.start()
    print("listening on 127.0.0.1:\(listener.port)")
    fflush(nil)
    var readiness = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&readiness, 1, -1) < 0 {}
    loop.stop()
} catch {
    Log().error("cannot serve", ["reason": "\(error)"])
    exit(1)
}
