public import EaselCore
import EaselProtocol

// Lives. A saved state can be copied, and a machine with a client in it, so two clients may name one site. Numbers would then name
// two things, and so would identities. Therefore a client makes new numbers only under a site that it was given in this life, and
// an earlier life's site is visited only to settle what has a number there: under that the copy has the same, so that the server
// takes it once, whoever brings it.
extension ClientEngine {
    /// How a client stands to the site it was given last.
    enum Tenure: Sendable {
        /// It was given it in this life.
        case owner
        /// It is an earlier life's.
        case guest
    }

    /// Begins a life: for a client that is started from a saved state, or finds out that another one has its site.
    ///
    /// The next connections settle what was sent under the site of before, or would be sent next under it, and then the client
    /// asks for a fresh one. Nothing has to be done where the saved state is known to have one user.
    ///
    /// - Parameter site: a random site for the identities of what is made before there is a fresh one.
    public mutating func beginLife(identities site: SiteID) {
        if site != identities.site { identities = IdentitySource(site: site) }
        guard let former = admission?.site else { return }
        numberNext(of: former)
        tenure = .guest
        lifeStart = nextLocal
    }

    /// Whether the client has a site that no copy of it has, so far as it knows.
    package var hasOwnSite: Bool { tenure == .owner && admission != nil }

    /// Gives what waits the numbers it gets in every copy of this client. Behind a press that is held they are open.
    private mutating func numberNext(of site: SiteID) {
        if numberedSite != site {
            numberedSite = site
            nextSequence = 1
        }
        for index in pending.indices where pending[index].sentAs == nil {
            if let history = pending[index].history, histories[history.index].stack.holds(pending[index].items) {
                return
            }
            guard (try? Self.check(pending[index].transaction())) != nil else { return }
            number(index, of: site)
        }
    }

    /// Gives a pending transaction the next number of a site.
    mutating func number(_ index: Int, of site: SiteID) {
        pending[index].sentAs = TransactionID(site: site, sequence: nextSequence)
        pending[index].isDoubtful = tenure == .guest
        nextSequence += 1
    }

    /// Whether nothing is left to do under the site of an earlier life. Who holds a press does not wait for it.
    var isMovingOut: Bool {
        guard tenure == .guest, let site else { return false }
        if pending.contains(where: { $0.sentAs?.site == site }) { return false }
        guard let first = pending.first else { return true }
        return first.history.map { histories[$0.index].stack.holds(first.items) } ?? false
    }

    /// Whether a commit is one's own work: of the site one has, or, while one catches up, of that of the life before.
    func isOwn(_ commit: Commit) -> Bool { commit.id.site == site || commit.id.site == numberedSite }

    /// Which pending transactions a snapshot's canvas holds, as far as its numbers tell.
    ///
    /// What brings something into being is there if that is, whatever number it was sent under, and so is what was sent in front of
    /// it. The rest is there if its number is not above the highest of its site; but a number in doubt may be another
    /// transaction's if the site has numbers that are not known here.
    func committed() -> [Bool] {
        var isFollowed = false
        let answers = pending.reversed().map { transaction -> Bool in
            let isThere = transaction.isThere(in: confirmed)
            if isThere == true { isFollowed = true }
            if isFollowed { return true }
            guard let id = transaction.sentAs, id.sequence <= confirmed.lastSequence(of: id.site) else { return false }
            guard tenure == .guest else { return true }
            let isKnown = id.site != numberedSite || confirmed.lastSequence(of: id.site) < nextSequence
            return isThere == nil && (!transaction.isDoubtful || isKnown)
        }
        return answers.reversed()
    }

    /// Which pending transaction a commit is. Under the number of one there may be another's work, if there are copies; and one
    /// may have been sent by an earlier life without this one knowing, if the state is a copy or older than that.
    mutating func sending(of commit: Commit) -> Int? {
        if let index = pending.firstIndex(where: { $0.sentAs == commit.id }) {
            if pending[index].isSame(as: commit) { return index }
            pending[index].isUnderWay = false
            // Numbers rise, and what stands behind stays behind.
            for later in index..<pending.count where !pending[later].isUnderWay { pending[later].sentAs = nil }
        }
        guard isOwn(commit) else { return nil }
        return pending.firstIndex { transaction in
            if let id = transaction.sentAs {
                guard id.site == commit.id.site else { return false }
            } else if commit.id.site != site, transaction.number >= lifeStart {
                return false
            }
            return transaction.isSame(as: commit)
        }
    }
}

extension ClientEngine.Pending {
    /// Whether a commit has its content. What cannot be told apart once it is encoded is the same.
    fileprivate func isSame(as commit: Commit) -> Bool {
        let own = transaction()
        return own == commit.transaction || own.encode() == commit.transaction.encode()
    }

    /// Whether what it brings into being is in a canvas; nil if it brings nothing into being.
    fileprivate func isThere(in canvas: Canvas) -> Bool? {
        var answer: Bool?
        for operation in operations {
            switch operation {
            case .create(let creation):
                if canvas[creation.id] == nil { return false }
            case .insertText(let shape, let insertion):
                if canvas[shape]?.text.offset(of: insertion.first) == nil { return false }
            case .set, .place, .hide, .show, .purge: continue
            }
            answer = true
        }
        return answer
    }
}
