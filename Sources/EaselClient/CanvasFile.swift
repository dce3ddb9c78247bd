import EaselClientEngine
import EaselCore
import EaselProtocol

/// The committed canvas in a file: a snapshot, and behind it every commit since, so that the file leads to the very canvas that
/// a client's state was saved with. An older one would not do: a client that starts without a server shows it.
///
/// Appending commits costs what they take. When they take as much as the snapshot, it is time for a new one (`isGrown`), so the
/// work for a commit is constant on average.
final class CanvasFile {
    /// The canvas that the file leads to.
    private(set) var place: CanvasPlace
    private let file: RecordFile
    private let snapshotBytes: Int

    private static let name = "easelcv1"
    /// Bytes of commits that are never worth a new snapshot.
    private static let smallTail = 256 * 1024

    private init(_ file: RecordFile, _ place: CanvasPlace, snapshotBytes: Int) {
        self.file = file
        self.place = place
        self.snapshotBytes = snapshotBytes
    }

    /// Whether the commits take more than the snapshot.
    var isGrown: Bool { file.size - snapshotBytes > max(Self.smallTail, snapshotBytes) }

    // MARK: Reading

    /// The canvas of a place, and the file to go on with. Nil if there is no file or it does not lead to that place.
    static func load(
        _ path: String, _ place: CanvasPlace
    ) throws(RecordFile.Foreign) -> (canvas: Canvas, file: CanvasFile)? {
        let contents: RecordFile.Contents
        do throws(RecordFile.Foreign) {
            contents = try RecordFile.read(path, name: name)
        } catch {
            if case .missing = error { return nil }
            throw error
        }
        guard let first = contents.records.first, var canvas = try decode(first.bytes, epoch: place.epoch) else {
            return nil
        }
        var end = first.end
        for record in contents.records.dropFirst() where canvas.revision < place.revision {
            guard let messages = try? ServerMessage.decodeAll(record.bytes), messages.count == 1,
                case .commits(let run) = messages[0], canvas.take(run)
            else { return nil }
            end = record.end
        }
        guard canvas.revision == place.revision, canvas.digest == place.digest,
            let file = try? RecordFile.reopen(path, size: end)
        else { return nil }
        return (canvas, CanvasFile(file, place, snapshotBytes: first.end))
    }

    /// The snapshot in a record; nil if it is of another epoch.
    private static func decode(_ bytes: [UInt8], epoch: UInt64?) throws(RecordFile.Foreign) -> Canvas? {
        var decoder = CBORDecoder(bytes)
        do throws(DecodingError) {
            guard try decoder.array() == 2 else { throw .surplusField }
            let found = decoder.null() ? nil : try decoder.unsigned()
            let snapshot = try decoder.byteString()
            guard found == epoch else { return nil }
            do { return try Snapshot.decode(snapshot) } catch { throw .outOfRange }
        } catch {
            throw .unknown
        }
    }

    // MARK: Writing

    /// Writes a file with a canvas, which takes its place under `path` by `takePlace`. O(canvas).
    static func prepare(_ path: String, _ canvas: Canvas, epoch: UInt64?) throws(StateFileError) -> CanvasFile {
        var encoder = CBOREncoder()
        encoder.array(2)
        if let epoch { encoder.unsigned(epoch) } else { encoder.null() }
        encoder.byteString(Snapshot.encode(canvas))
        let file = try RecordFile.prepare(path, name: name, [encoder.bytes])
        let place = CanvasPlace(epoch: epoch, revision: canvas.revision, digest: canvas.digest)
        return CanvasFile(file, place, snapshotBytes: file.size)
    }

    /// Replaces what was there before.
    func takePlace() throws(StateFileError) { try file.takePlace() }

    /// Adds the commits that follow.
    func append(_ runs: some Collection<CommitRun>) throws(StateFileError) {
        let following = runs.filter { $0.last > place.revision }
        guard let last = following.last else { return }
        try file.append(following.map { ServerMessage.commits($0).encode() })
        place = CanvasPlace(epoch: place.epoch, revision: last.last, digest: last.digest)
    }

    /// A second descriptor of the file, for syncing it elsewhere.
    func descriptorForSyncing() -> Int32? { file.descriptorForSyncing() }
}

extension Canvas {
    /// Applies those of a run's commits that it does not have. False if some are missing before them; then it is of no further use.
    fileprivate mutating func take(_ run: CommitRun) -> Bool {
        for commit in run.commits where commit.revision > revision {
            guard commit.revision == revision + 1, commit.id.sequence > lastSequence(of: commit.id.site) else {
                return false
            }
            _ = apply(commit)
        }
        return true
    }
}
