import EaselClientEngine
import EaselCore
import Glibc

/// The file of a client's state: who it is, what waits to be sent, what can be undone. The last record counts.
enum StateFile {
    static let name = "easelst1"

    /// What was found.
    enum Found {
        /// Nothing.
        case nothing
        /// A state.
        case state(Saved)
        /// Something that cannot be used, with what is to be said of it.
        case unusable(String)
    }

    /// A state as it was saved.
    struct Saved {
        /// The bytes of ``/EaselClientEngine/ClientEngine/save(includingCanvas:)``.
        let bytes: [UInt8]
        /// Whether nothing the client did may be missing: the file was written to its end, and the machine has not been started
        /// since, so that all that was written is there.
        let isComplete: Bool
        /// Whether there is damage behind it, and not just the end of a write that was cut short.
        let isDamaged: Bool
    }

    /// A record for a state.
    static func record(_ state: [UInt8], server: ServerAddress) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.reserve(state.count + 128)
        encoder.array(3)
        encoder.text(boot)
        encoder.text(server.authority)
        encoder.byteString(state)
        return encoder.bytes
    }

    /// The last state in a file. One that belongs to another server is not usable.
    static func find(_ path: String, server: ServerAddress) -> Found {
        let contents: RecordFile.Contents
        do throws(RecordFile.Foreign) {
            contents = try RecordFile.read(path, name: name)
        } catch {
            switch error {
            case .missing: return .nothing
            case .newer: return .unusable("\(path) was written by a later version")
            case .unknown: return .unusable("\(path) is damaged")
            case .unreadable(let failure): return .unusable(failure.sentence)
            }
        }
        guard let last = contents.records.last else { return .unusable("\(path) is damaged") }
        var decoder = CBORDecoder(last.bytes)
        do throws(DecodingError) {
            guard try decoder.array() == 3 else { throw .surplusField }
            let writtenIn = try decoder.text(0...bootBytes)
            let owner = try decoder.text(0...Int.max)
            let state = try decoder.byteString()
            guard owner == server.authority else { return .unusable("\(path) belongs to the server \(owner)") }
            let isWhole = contents.end == .whole
            return .state(
                Saved(bytes: state, isComplete: isWhole && writtenIn == boot, isDamaged: contents.end == .damaged))
        } catch {
            return .unusable("\(path) is damaged")
        }
    }

    /// Moves a file to a name of its own beside it, so that it is neither used nor lost. Returns the new name; nil if that cannot
    /// be done.
    static func setAside(_ path: String, as reason: String) -> String? {
        for number in 1...mostAside {
            let name = "\(path).\(reason)-\(number)"
            if access(name, F_OK) == 0 { continue }
            return rename(path, name) == 0 ? name : nil
        }
        return nil
    }

    private static let mostAside = 1_000
    private static let bootBytes = 64

    /// Names the run of the machine, from its start to its end; empty where the system does not say.
    private static let boot: String = {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: bootBytes)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)).prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    }()
}
