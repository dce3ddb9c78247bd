import Glibc

/// How many processors there are to run on.
public enum ProcessorCount {
    /// Processors that this process may run on, which are fewer than the machine has where it was pinned to some; 1 if the
    /// system does not say.
    public static var available: Int {
        // The call for that is hidden from Swift, as it is an extension of the GNU library.
        guard let file = fopen("/proc/self/status", "r") else { return 1 }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, file) > 0 {
            guard let line, let count = allowed(in: String(cString: line)) else { continue }
            return max(1, count)
        }
        return 1
    }

    /// The processors in a line of the status: `Cpus_allowed:` and a mask in hexadecimal digits with commas. Nil for any other line.
    private static func allowed(in line: String) -> Int? {
        let parts = line.split(separator: ":")
        guard parts.count == 2, parts[0] == "Cpus_allowed" else { return nil }
        return parts[1].reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
    }
}
