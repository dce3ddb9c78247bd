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

    /// The canvas at the head of its log. Linear in what was read, so it is for another thread than the loop's.
    static func history(
        _ canvas: CanvasID, _ result: Result<LoadedCanvas, StorageError>, log: Log
    ) -> Result<CanvasHistory, Failure> {
        do {
            let loaded = try result.get()
            for damaged in loaded.damagedSnapshots {
                log.warning("a damaged snapshot was passed over", ["reason": damaged])
            }
            if let damage = loaded.damage { throw damage }
            return .success(try history(loaded))
        } catch let error as StorageError {
            return .failure(failure(error.sentence))
        } catch let damage as Damage {
            return .failure(
                failure("The log of canvas \(canvas) cannot be read at revision \(damage.revision): \(damage.reason)"))
        } catch {
            return .failure(failure("The canvas cannot be read."))
        }
    }

    private struct Damage: Error {
        let revision: Revision
        let reason: String
    }

    private static func history(_ loaded: LoadedCanvas) throws(Damage) -> CanvasHistory {
        var history = CanvasHistory(epoch: loaded.epoch, logBase: loaded.base)
        if let snapshot = loaded.snapshot {
            do throws(SnapshotError) {
                history = CanvasHistory(
                    epoch: loaded.epoch, canvas: try Snapshot.decode(snapshot.payload),
                    snapshotBytes: UInt64(snapshot.payload.count), logBase: loaded.base)
            } catch {
                throw Damage(revision: snapshot.revision, reason: "the snapshot is not usable (\(error)).")
            }
        }
        for entry in loaded.entries {
            do throws(CanvasHistory.Damage) {
                try history.append(LogRecord(entry))
            } catch {
                throw Damage(revision: entry.revision, reason: "the entry is not usable (\(error)).")
            }
        }
        return history
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
