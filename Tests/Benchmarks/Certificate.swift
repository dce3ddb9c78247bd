import Foundation

/// A certificate for this machine, and its key.
struct Certificate {
    let file: String
    let key: String

    /// Makes one in a folder.
    init(in folder: String) throws(NotMeasured) {
        (file, key) = ("\(folder)/server.crt", "\(folder)/server.key")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=easel -keyout"
            .split(separator: " ").map(String.init) + [key, "-out", file, "-addext", "subjectAltName=IP:127.0.0.1"]
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { throw NotMeasured("there is no openssl: \(error)") }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NotMeasured("openssl makes no certificate") }
    }
}
