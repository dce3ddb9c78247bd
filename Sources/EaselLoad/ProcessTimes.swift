import Glibc

/// The processor time of other processes, as Linux has it.
enum ProcessTimes {
    /// Seconds of processor time that a process and its threads have used; nil if there is none of that number.
    static func processorSeconds(of process: Int32) -> Double? {
        guard let file = fopen("/proc/\(process)/stat", "r") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1_024)
        let count = fread(&buffer, 1, buffer.count, file)
        // The name of the program may hold spaces and parentheses; behind its last one the fields are numbers.
        guard let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = buffer[(end + 1)..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > userTime + 1, let user = number(fields[userTime]),
            let system = number(fields[userTime + 1])
        else { return nil }
        return Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Fields behind the name: the state is the first.
    private static let userTime = 11

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? { Int(String(decoding: digits, as: UTF8.self)) }
}
