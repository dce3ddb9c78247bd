public import EaselCore
public import EaselProtocol

/// A change of the named versions of a canvas, checked as far as a room can.
public enum VersionEdit: Sendable, Equatable {
    /// Gives a revision a name.
    case add(NamedVersion)
    /// Takes a name away.
    case remove(name: String)
}

extension RoomEngine {
    /// A session asks for the versions, perhaps after a change. Nothing of it goes through the log's order: versions name
    /// revisions, and are no part of the canvas.
    mutating func receive(
        _ request: VersionRequest, from id: SessionID, into actions: inout [RoomAction], at moment: Moment
    ) {
        guard let session = sessions[id] else { return }
        switch edit(request.change, of: session, at: moment) {
        case .failure(let refusal):
            answer(.versions(VersionAnswer(tag: request.tag, .failure(refusal))), to: id, at: moment)
        case .success(let edit):
            sessions[id]?.versionRequests += 1
            actions.append(.changeVersions(id, tag: request.tag, edit))
        }
    }

    private func edit(
        _ change: VersionRequest.Change, of session: Session, at moment: Moment
    ) -> Result<VersionEdit?, VersionRefusal> {
        guard session.versionRequests < limits.versionRequests else { return .failure(.tooMany) }
        switch change {
        case .none: return .success(nil)
        case .add, .remove:
            guard case .editor = session.role else { return .failure(.readOnly) }
        }
        switch change {
        case .none: return .success(nil)
        case .remove(let name): return .success(.remove(name: name))
        case .add(let name, let revision):
            guard NamedVersion.isName(name) else { return .failure(.badName) }
            let revision = revision ?? history.canvas.revision
            guard revision >= 1, revision <= history.canvas.revision else { return .failure(.notKept) }
            return .success(
                .add(
                    NamedVersion(
                        name: name, revision: revision, time: moment.wallMilliseconds, author: session.name)))
        }
    }

    /// What became of the request of a session whose number is `tag`.
    public mutating func versionsChanged(
        _ outcome: Result<[NamedVersion], VersionRefusal>, for session: SessionID, tag: UInt64, at moment: Moment
    ) {
        guard sessions[session] != nil else { return }
        sessions[session]?.versionRequests -= 1
        answer(.versions(VersionAnswer(tag: tag, outcome)), to: session, at: moment)
    }
}
