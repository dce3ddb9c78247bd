public import EaselCore
public import EaselProtocol

extension Hello {
    /// Why a server cannot take this hello, or nil.
    public var problem: ProtocolError? {
        guard version == ProtocolVersion.current else {
            return ProtocolError(
                code: .unsupportedVersion,
                message: "This server speaks version \(ProtocolVersion.current) of the protocol, not \(version).")
        }
        guard (1...ProtocolLimits.nameBytes).contains(name.utf8.count) else {
            return ProtocolError(code: .malformed, message: "A name has 1 to \(ProtocolLimits.nameBytes) bytes.")
        }
        // Names are shown on other people's terminals and in logs.
        guard !name.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else {
            return ProtocolError(code: .malformed, message: "A name has no control characters.")
        }
        return nil
    }
}

extension RoomEngine {
    // MARK: Coming

    /// A connection said hello.
    ///
    /// - Parameters:
    ///   - session: A number no connection had before.
    ///   - outlet: The outlet of its event loop.
    ///   - role: What it may do.
    ///   - freshSite: A random site, for a client that was given none or cannot prove the one it names.
    public mutating func join(
        _ session: SessionID, _ hello: Hello, by outlet: OutletID, role: Role, freshSite: SiteID,
        into actions: inout [RoomAction], at moment: Moment
    ) {
        if let problem = hello.problem {
            say(.close(session, problem), to: outlet)
            return
        }
        if sessionCount >= limits.sessions {
            let sentence = "The canvas has \(limits.sessions) sessions, which is its limit."
            say(.close(session, ProtocolError(code: .tooMany, message: sentence)), to: outlet)
            return
        }
        let joiner = Joiner(session: session, outlet: outlet, hello: hello, role: role, freshSite: freshSite)
        switch phase {
        case .loading(let joiners): phase = .loading(joiners + [joiner])
        case .open, .recovering: admit(joiner, into: &actions, at: moment)
        case .closed(let error): say(.close(session, error), to: outlet)
        }
    }

    mutating func admit(_ joiner: Joiner, into actions: inout [RoomAction], at moment: Moment) {
        let site = site(for: joiner)
        if let old = owners[site] { replace(old) }
        if pipeline.highest(of: site) > 0 {
            delayed.append(joiner)
            emptySince = nil
            return
        }
        let cursor = joiner.hello.resume.flatMap { resume in
            resume.epoch == history.epoch && history.reaches(resume.revision) ? resume.revision : nil
        }
        owners[site] = joiner.session
        emptySince = nil
        let session = Session(outlet: joiner.outlet, site: site, role: joiner.role, name: joiner.hello.name)
        sessions[joiner.session] = session
        count(in: session)
        if let cursor {
            welcome(joiner.session, .commits, parts: [], at: cursor)
        } else {
            serveSnapshot(to: joiner.session, into: &actions, at: moment)
        }
        show(Presence(name: joiner.hello.name), of: site, at: moment)
    }

    /// Lets those in of whose sites nothing is under way any more, in the order in which they came.
    mutating func admitDelayed(into actions: inout [RoomAction], at moment: Moment) {
        guard !delayed.isEmpty else { return }
        let joiners = delayed
        delayed = []
        for joiner in joiners { admit(joiner, into: &actions, at: moment) }
    }

    /// The site the client proves to have been given, else a fresh one.
    private func site(for joiner: Joiner) -> SiteID {
        if let resume = joiner.hello.resume, resume.secret == key.secret(canvas: canvasID, site: resume.site) {
            return resume.site
        }
        var site = joiner.freshSite
        while site == .server || owners[site] != nil || history.canvas.lastSequence(of: site) > 0
            || pipeline.highest(of: site) > 0
        {
            site = SiteID(random: site.rawValue)
        }
        return site
    }

    /// Lets the outlet of a session serve it from now on: a snapshot in `parts`, if there are any, then what follows `cursor`.
    mutating func welcome(
        _ id: SessionID, _ catchup: Welcome.Catchup, parts: [SharedPayload], at cursor: Revision
    ) {
        guard let session = sessions[id] else { return }
        let welcome = Welcome(
            site: session.site, secret: key.secret(canvas: canvasID, site: session.site), epoch: history.epoch,
            revision: history.canvas.revision, lastSequence: history.canvas.lastSequence(of: session.site),
            role: session.role, catchup: catchup, horizon: history.horizon)
        sessions[id]?.stage = .welcome
        limitTrim(to: cursor)
        let start = SessionWord.Start(
            site: session.site, welcome: ServerMessage.welcome(welcome).encode(), parts: parts, cursor: cursor)
        say(.welcome(id, start), to: session.outlet)
    }

    /// Changes what a session may do. What it sent before that is not refused keeps its place; a client is told behind it. One
    /// that is not welcome yet finds it in its welcome.
    public mutating func setRole(of id: SessionID, to role: Role, at moment: Moment) {
        if case .loading(let joiners) = phase {
            phase = .loading(joiners.map { $0.with(role, for: id) })
            return
        }
        delayed = delayed.map { $0.with(role, for: id) }
        guard let session = sessions[id], session.role != role else { return }
        sessions[id]?.role = role
        if case .waiting = session.stage { return }
        answer(.role(role), to: id, at: moment)
    }

    // MARK: Going

    /// A connection is gone, whatever the reason. One that the room does not know, because it was closed or replaced by the room
    /// itself, changes nothing.
    public mutating func left(_ session: SessionID, at moment: Moment) {
        if case .loading(let joiners) = phase {
            phase = .loading(joiners.filter { $0.session != session })
            return
        }
        if let index = delayed.firstIndex(where: { $0.session == session }) {
            let site = site(for: delayed.remove(at: index))
            if owners[site] == nil, !delayed.contains(where: { self.site(for: $0) == site }) { leave(site, at: moment) }
        } else if let site = forget(session) {
            leave(site, at: moment)
        }
    }

    private mutating func leave(_ site: SiteID, at moment: Moment) {
        presence.remove(site)
        publishPresence(at: moment.milliseconds)
        if sessions.isEmpty, delayed.isEmpty { emptySince = moment.milliseconds }
    }

    /// Ends a session for a reason of the room.
    mutating func close(_ session: SessionID, _ error: ProtocolError, at moment: Moment) {
        guard let outlet = outlet(of: session) else { return }
        say(.close(session, error), to: outlet)
        left(session, at: moment)
    }

    private func outlet(of id: SessionID) -> OutletID? {
        if case .loading(let joiners) = phase { return joiners.first { $0.session == id }?.outlet }
        return sessions[id]?.outlet ?? delayed.first { $0.session == id }?.outlet
    }

    /// Ends the session that holds the site of a newcomer: most likely its own old connection, half dead. The site stays present.
    /// If somebody lives at the other end, there are two clients with one state, and who hears this leaves the site.
    private mutating func replace(_ old: SessionID) {
        guard let outlet = sessions[old]?.outlet else { return }
        let sentence = "A client with the same state has connected."
        say(.close(old, ProtocolError(code: .replaced, message: sentence)), to: outlet)
        _ = forget(old)
    }

    private mutating func forget(_ id: SessionID) -> SiteID? {
        guard let session = sessions.removeValue(forKey: id) else { return nil }
        owners[session.site] = nil
        count(out: session)
        return session.site
    }
}

extension RoomEngine.Joiner {
    /// The same with another role, if it is that session.
    fileprivate func with(_ role: Role, for id: SessionID) -> Self {
        session == id ? Self(session: id, outlet: outlet, hello: hello, role: role, freshSite: freshSite) : self
    }
}
