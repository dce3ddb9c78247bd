import EaselTransport
import Foundation

/// Certificates for tests, made by the `openssl` program in a folder of their own. Each is its own authority.
final class Certificates {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("easel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Makes a certificate `name` for the given names, such as `DNS:localhost`, issued by itself or by another. Of its issuer an
    /// issued one says the name and nothing of the key.
    func make(_ name: String, for names: String, subject: String? = nil, issuer: String? = nil) throws {
        let new = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        let files = ["-keyout", key(name), "-out", certificate(name)]
        let content = ["-subj", subject ?? "/CN=\(name)", "-addext", "subjectAltName=\(names)"]
        let issued = issuer.map { issuer in
            ["basicConstraints=critical,CA:false", "authorityKeyIdentifier=none"].flatMap { ["-addext", $0] }
                + ["-CA", certificate(issuer), "-CAkey", key(issuer)]
        }
        try run(new + files + content + (issued ?? []))
    }

    /// Makes a file with the key of a certificate, protected by a password; gives its path.
    func encryptedKey(_ name: String) throws -> String {
        let path = key("\(name)-encrypted")
        try run(["pkey", "-in", key(name), "-out", path, "-aes256", "-passout", "pass:secret"])
        return path
    }

    /// Makes a file of what is in the files of several certificates; gives its path.
    func chain(_ name: String, of names: [String]) throws -> String {
        let text = try names.map { try String(contentsOfFile: certificate($0), encoding: .utf8) }.joined()
        try text.write(toFile: certificate(name), atomically: true, encoding: .utf8)
        return certificate(name)
    }

    private func run(_ arguments: [String]) throws {
        let (status, text) = try Certificates.openssl(arguments)
        precondition(status == 0, "openssl: \(text)")
    }

    func certificate(_ name: String) -> String { folder.appendingPathComponent(name + ".crt").path }
    func key(_ name: String) -> String { folder.appendingPathComponent(name + ".key").path }

    func identity(_ name: String) throws -> TLSIdentity {
        try TLSIdentity(certificateFile: certificate(name), keyFile: key(name))
    }

    func trust(_ name: String) throws -> TLSTrust { try TLSTrust(authorityFile: certificate(name)) }

    /// A certificate for this machine, by name and by address.
    static func local() throws -> Certificates {
        let certificates = try Certificates()
        try certificates.make("local", for: "DNS:localhost,IP:127.0.0.1")
        return certificates
    }

    /// Runs the program to its end; what it is told is nothing but `input`. Gives its exit code and what it says.
    static func openssl(_ arguments: [String], input: String = "") throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let (from, to) = (Pipe(), Pipe())
        process.standardOutput = from
        process.standardError = from
        process.standardInput = to
        try process.run()
        try to.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try to.fileHandleForWriting.close()
        let said = try from.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }
}
