import Glibc

/// A pair of descriptors that behaves as a terminal: what is written to one end is read from the other.
struct PseudoTerminal {
    /// The end of the person: keys are written here, and what is shown is read here.
    let person: Int32
    /// The end of the program.
    let program: Int32

    init?(columns: UInt16, rows: UInt16) {
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (locked, number): (Int32, Int32) = (0, 0)
        guard person >= 0, ioctl(person, Self.setLock, &locked) == 0, ioctl(person, Self.getNumber, &number) == 0 else {
            return nil
        }
        program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard program >= 0 else { return nil }
        _ = fcntl(person, F_SETFL, O_NONBLOCK)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(program, UInt(TIOCSWINSZ), &size) == 0 else { return nil }
    }

    // TIOCSPTLCK and TIOCGPTN of Linux, which are macros that Swift does not import.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    func close() {
        Glibc.close(person)
        Glibc.close(program)
    }

    /// What the program has written since this was last asked.
    func shown() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(person, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }

    /// Whether typed characters are passed on at once, without echo.
    var isRaw: Bool {
        var modes = termios()
        tcgetattr(program, &modes)
        return modes.c_lflag & tcflag_t(ICANON | ECHO) == 0
    }
}
