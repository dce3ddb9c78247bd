import EaselCore
import EaselProtocol

struct Replayed {
    let commits: Int32
    let digest: UInt64
}

enum ReplayFailure: Error {
    case notALog
    case digestDiffers
}

/// Applies a log, which is what a client receives: messages with commits and the digest of the canvas after them.
func replay(_ log: [UInt8]) -> Result<Replayed, ReplayFailure> {
    let messages: [ServerMessage]
    do throws(DecodingError) {
        messages = try ServerMessage.decodeAll(log)
    } catch {
        return .failure(.notALog)
    }
    var canvas = Canvas()
    for message in messages {
        guard case .commits(let run) = message else { return .failure(.notALog) }
        for commit in run.commits {
            guard commit.revision == canvas.revision + 1, commit.id.sequence > canvas.lastSequence(of: commit.id.site)
            else { return .failure(.notALog) }
            _ = canvas.apply(commit)
        }
        guard canvas.digest == run.digest else { return .failure(.digestDiffers) }
    }
    guard canvas.recomputedDigest() == canvas.digest else { return .failure(.digestDiffers) }
    return .success(Replayed(commits: Int32(canvas.revision), digest: canvas.digest))
}
