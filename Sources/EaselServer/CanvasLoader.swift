import EaselCore
import EaselProtocol
import EaselServerEngine
import EaselStorage
import EaselSupport

/// Makes a canvas out of what the log holds of it.
enum CanvasLoader {
    /// Why a canvas cannot be opened.
    struct Failure: Error {
        /// For people, and short enough for an error message.
        let sentence: String
    }

    /// A canvas as far as its log can be read.
    struct Opened {
        let history: CanvasHistory
        /// Why it ends before its head, if it does: then nothing may be added to it.
        let damage: String?
    }

    /// The canvas at the head of its log, or in front of the first record that is damaged. Linear in what was read, so it is for
    /// another thread than the loop's.
    static func open(
        _ canvas: CanvasID, _ result: Result<LoadedCanvas, StorageError>, log: Log
    ) -> Result<Opened, Failure> {
        do {
            let loaded = try result.get()
            for damaged in loaded.damagedSnapshots {
                log.warning("a damaged snapshot was passed over", ["reason": damaged])
            }
            var history = try beginning(loaded)
            for entry in loaded.entries {
                do throws(CanvasHistory.Damage) {
                    try history.append(LogRecord(entry))
                } catch {
                    let place = "The log of canvas \(canvas) cannot be read at revision \(entry.revision)"
                    return .success(Opened(history: history, damage: "\(place): the entry is not usable (\(error))."))
                }
            }
            return .success(Opened(history: history, damage: loaded.damage?.sentence))
        } catch let error as StorageError {
            return .failure(failure(error.sentence))
        } catch let error as SnapshotError {
            return .failure(failure("The snapshot of canvas \(canvas) is not usable (\(error))."))
        } catch {
            return .failure(failure("The canvas cannot be read."))
        }
    }

    private static func beginning(_ loaded: LoadedCanvas) throws(SnapshotError) -> CanvasHistory {
        guard let snapshot = loaded.snapshot else { return CanvasHistory(epoch: loaded.epoch, logBase: loaded.base) }
        return CanvasHistory(
            epoch: loaded.epoch, canvas: try Snapshot.decode(snapshot.payload),
            snapshotBytes: UInt64(snapshot.payload.count), logBase: loaded.base)
    }

    private static func failure(_ sentence: String) -> Failure {
        Failure(sentence: String(decoding: sentence.utf8.prefix(ProtocolLimits.errorMessageBytes - 3), as: UTF8.self))
    }
}

extension LogRecord {
    init(_ entry: LogEntry) {
        self.init(
            revision: entry.revision, id: TransactionID(site: entry.site, sequence: entry.sequence), time: entry.time,
            label: entry.label, payload: entry.payload)
    }
}

extension LogEntry {
    init(_ record: LogRecord) {
        self.init(
            revision: record.revision, site: record.id.site, sequence: record.id.sequence, time: record.time,
            label: record.label, payload: record.payload)
    }
}
