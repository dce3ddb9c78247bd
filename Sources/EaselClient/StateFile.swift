import EaselClientEngine
import EaselCore
import Glibc

/// The file of a client's state: who it is, what waits to be sent, what can be undone.
///
/// A record is a whole state, or what leads from the state in front of it to the next one. The last state counts.
enum StateFile {
    static let name = "easelst2"

    /// How many records may lead on from a whole state: each is applied when the file is read.
    static let mostSteps = 1_000

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
        /// Whether there is damage behind it, and not just the end of a write that was cut short.
        let isDamaged: Bool
    }

    /// A record for a whole state.
    static func record(_ state: [UInt8], server: ServerAddress) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.reserve(state.count + 128)
        encoder.array(2)
        encoder.text(server.authority)
        encoder.byteString(state)
        return encoder.bytes
    }

    /// A record for the state that follows another one; nil if a whole one is not much longer.
    static func record(_ state: [UInt8], after old: [UInt8]) -> [UInt8]? {
        let delta = StateDelta.make(from: old, to: state)
        if delta.count > state.count / 2 { return nil }
        var encoder = CBOREncoder()
        encoder.array(1)
        encoder.byteString(delta)
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
        var last: (owner: String, state: [UInt8])?
        var isDamaged = contents.end == .damaged
        for record in contents.records {
            guard let next = follow(last, record.bytes) else {
                isDamaged = true
                break
            }
            last = next
        }
        guard let last else { return .unusable("\(path) is damaged") }
        guard last.owner == server.authority else { return .unusable("\(path) belongs to the server \(last.owner)") }
        return .state(Saved(bytes: last.state, isDamaged: isDamaged))
    }

    /// The state that a record leads to; nil if it is none.
    private static func follow(
        _ last: (owner: String, state: [UInt8])?, _ record: [UInt8]
    ) -> (owner: String, state: [UInt8])? {
        var decoder = CBORDecoder(record)
        do throws(DecodingError) {
            if try decoder.array() == 2 { return (try decoder.text(0...Int.max), try decoder.byteString()) }
            guard let last, let state = StateDelta.apply(try decoder.byteString(), to: last.state) else { return nil }
            return (last.owner, state)
        } catch {
            return nil
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
}
