import EaselCore
import EaselProtocol
import EaselServerEngine
import EaselStorage
import EaselSupport
import EaselTransport

extension RoomHost {
    /// Makes a change of the versions durable, or none, and brings the engine the versions there are then.
    func changeVersions(_ edit: VersionEdit?, for session: SessionID, tag: UInt64) {
        let report: StorageCompletion<[NamedVersion]> = { [self] result in
            hub.loop.post { [self] in
                input { engine, _, moment in
                    engine.versionsChanged(outcome(of: result), for: session, tag: tag, at: moment)
                }
            }
        }
        switch edit {
        case nil: hub.storage.outline(canvas) { report($0.map { $0?.versions ?? [] }) }
        case .add(let version): hub.storage.changeVersions(canvas, .add(version), completion: report)
        case .remove(let name): hub.storage.changeVersions(canvas, .remove(name: name), completion: report)
        }
    }

    private func outcome(
        of result: Result<[NamedVersion], StorageError>
    ) -> Result<[NamedVersion], VersionRefusal> {
        result.mapError { error in
            switch error.kind {
            case .nameTaken: return .nameTaken
            case .noSuchName: return .noSuchVersion
            case .conflict, .trimmed: return .notKept
            case .tooMany: return .tooMany
            case .tooLarge: return .badName
            case .full, .io, .damaged, .inUse, .foreign, .newerFormat, .noAccess, .closed:
                log.error("versions could not be read or stored", ["reason": error])
                return .storageUnavailable
            }
        }
    }
}
