import EaselCore
import EaselProtocol
import Testing

@Suite("Runs of commits")
struct CommitRunTests {
    private func move(_ revision: Revision, by writer: UInt64, _ number: SequenceNumber) -> Commit {
        let changes = [
            PropertyChange(PropertyKey("x"), .integer(Int64(revision % 1_000))),
            PropertyChange(PropertyKey("y"), .integer(Int64(revision % 700))),
        ]
        return Commit(
            revision: revision, id: TransactionID(site: site(writer), sequence: number),
            time: 1_700_000_000_000 + revision / 3,
            transaction: Transaction(
                operations: [.set(ShapeID(site: site(writer), counter: 1), changes)], label: "Move"))
    }

    /// Moves by ten writers in turn, each with numbers of its own.
    private func moves(_ count: Int) -> CommitRun {
        let commits = (0..<UInt64(count)).map { index in
            move(1_000 + index, by: (1 << 50) + index % 10, 5_000 + index / 10)
        }
        return CommitRun(commits, digest: .max)
    }

    @Test("MSG-23 what is written is read again, and at a glance the same commits are seen")
    func roundTrip() throws {
        for run in [Sample.run, moves(2), moves(500)] {
            let encoded = ServerMessage.commits(run).encode()
            #expect(try ServerMessage.decode(encoded) == .commits(run))
            var sequence = ServerMessageSequence(encoded + ServerMessage.acknowledgement(1).encode())
            guard case .commits(let heads, let digest) = try sequence.glance() else {
                Issue.record("no commits")
                return
            }
            #expect(heads.map(\.revision) == run.commits.map(\.revision) && heads.map(\.id) == run.commits.map(\.id))
            #expect(digest == run.digest)
            guard case .other(.acknowledgement(1)) = try sequence.glance() else {
                Issue.record("what stands behind is not seen")
                return
            }
        }
    }

    @Test("MSG-23 a moved shape takes less than a third of what its commit takes alone")
    func size() {
        let run = moves(500)
        let alone = run.commits.reduce(0) { $0 + ServerMessage.encodeCommit($1, digest: .max).count }
        let together = ServerMessage.commits(run).encode().count
        #expect(together * 3 < alone, "\(together) bytes together, \(alone) alone")
        #expect(together < 24 * 500)
    }

    @Test("MSG-23 words that are equal to Unicode and not in their bytes stay what they are")
    func equivalentWords() throws {
        let labels = ["\u{E9}", "e\u{301}"]
        let commits = labels.enumerated().map { index, label in
            Commit(
                revision: 1 + UInt64(index), id: TransactionID(site: site(7), sequence: 1 + UInt64(index)), time: 0,
                transaction: Transaction(operations: [create("A\(index)")], label: label))
        }
        guard
            case .commits(let run) = try ServerMessage.decode(
                ServerMessage.commits(CommitRun(commits, digest: 0)).encode())
        else {
            Issue.record("no commits")
            return
        }
        #expect(run.commits.map { Array($0.transaction.label.utf8) } == labels.map { Array($0.utf8) })
    }

    @Test("MSG-10 MSG-23 one commit alone has the form that it always had")
    func alone() {
        var encoder = CommitRunEncoder()
        encoder.append(Sample.commit)
        #expect(encoder.message(digest: 5) == ServerMessage.encodeCommit(Sample.commit, digest: 5))
    }

    @Test("MSG-23 a list of sites that names one twice, which would let its numbers fall, is refused")
    func repeatedSite() throws {
        let two = CommitRun([move(1, by: 7, 12), move(2, by: 9, 4)], digest: 0)
        let encoded = ServerMessage.commits(two).encode()
        _ = try ServerMessage.decode(encoded)
        let list = try #require(encoded.indices.first { encoded[$0...].starts(with: [0x82, 7, 9]) })
        var repeated = encoded
        repeated[list + 2] = 7
        #expect(throws: DecodingError.outOfRange) { try ServerMessage.decode(repeated) }
        var sequence = ServerMessageSequence(repeated)
        do throws(DecodingError) {
            _ = try sequence.glance()
            Issue.record("taken at a glance")
        } catch {
            #expect(error == .outOfRange)
        }
    }

    @Test("RS-06 a run leads on from where it begins or later, but not from its end or across a gap")
    func continues() {
        let run = moves(3)
        #expect((998...1_003).map { run.continues($0) } == [false, true, true, true, false, false])
    }
}
