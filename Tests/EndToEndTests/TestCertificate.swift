import Foundation

/// A certificate and its key in files, made by the `openssl` program. It is its own authority.
struct TestCertificate {
    let file: String
    let key: String

    /// Makes one, in place of what is in the files.
    ///
    /// - Parameters:
    ///   - name: of its subject.
    ///   - host: for whom it is, such as `IP:127.0.0.1`.
    ///   - years: the years at whose beginning it becomes valid and expires; two days from now where nothing is said.
    init(_ name: String = "easel", for host: String, in folder: TemporaryFolder, years: (Int, Int)? = nil) throws {
        file = "\(folder.path)/server.crt"
        key = "\(folder.path)/server.key"
        let new = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)"]
        let names = ["-addext", "subjectAltName=\(host)"]
        guard let years else {
            try Self.openssl(new + ["-keyout", key, "-x509", "-days", "2", "-out", file] + names)
            return
        }
        let (request, registry, settings) = ("\(file).request", "\(file).index", "\(file).settings")
        try Self.openssl(new + ["-keyout", key, "-out", request] + names)
        try Data().write(to: URL(fileURLWithPath: registry))
        try Data(
            """
            [ca]
            default_ca = test
            [test]
            database = \(registry)
            new_certs_dir = \(folder.path)
            rand_serial = yes
            default_md = sha256
            policy = any
            copy_extensions = copy
            [any]
            commonName = optional
            """.utf8
        ).write(to: URL(fileURLWithPath: settings))
        try Self.openssl([
            "ca", "-batch", "-notext", "-selfsign", "-config", settings, "-in", request, "-keyfile", key, "-out", file,
            "-startdate", "\(years.0)0101000000Z", "-enddate", "\(years.1)0101000000Z",
        ])
    }

    private static func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        precondition(process.terminationStatus == 0, String(decoding: text, as: UTF8.self))
    }
}
