import EaselClient
import EaselClientEngine
import Foundation
import Testing

@Suite("D1, D3: a server that is killed again and again", .serialized)
struct KillTests {
    /// Numbers from a seed: SplitMix64, as its authors describe it (Steele, Lea, Flood, 2014).
    private struct Random {
        var state: UInt64

        mutating func number(below bound: UInt64) -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return (value ^ (value >> 31)) % bound
        }
    }

    private static let writerCount = 8
    /// Most edits that a server commits before it is killed.
    private static let commitBound: UInt64 = 80
    /// Longest time between the last of them and the kill, microseconds.
    private static let delayBound: UInt64 = 8_000
    /// Of so many kills one does not wait for edits, but meets the clients coming in; and how long that waits, milliseconds.
    private static let earlyKills: UInt64 = 8
    private static let earlyBound: UInt64 = 300

    @Test("every acknowledged edit of eight writers is in the log once and in order, and all end up with one canvas")
    func kills() throws {
        let kills = environmentNumber("EASEL_KILLS", default: 40)
        let seed = environmentNumber("EASEL_KILL_SEED", default: 1)
        var random = Random(state: UInt64(bitPattern: Int64(seed)))
        let folder = try TemporaryFolder()
        var server = try ServerProcess(dataFolder: folder.path)
        let writers = try BusyWriters(Self.writerCount, canvas: "plan", server: server.address)
        #expect(eventually { writers.areSettled })
        for round in 0..<kills {
            if random.number(below: Self.earlyKills) == 0 {
                try writers.work(milliseconds: Int(random.number(below: Self.earlyBound)))
            } else {
                let goal = writers.revision + 1 + random.number(below: Self.commitBound)
                #expect(try writers.work(untilRevision: goal), "seed \(seed), kill \(round)")
                usleep(UInt32(random.number(below: Self.delayBound)))
            }
            server.kill()
            let copy = try TemporaryFolder()
            try check(round, folder.path, copy.path, writers)
            server = try ServerProcess(dataFolder: folder.path, port: server.port)
        }
        #expect(eventually { writers.areSettled }, "seed \(seed)")
        let digest = writers.people[0].store.status.digest
        let late = try Person("late", canvas: "plan", server: server.address)
        #expect(eventually { late.store.status.link == .live && late.store.status.digest == digest })
        #expect(server.terminate() == 0)
        let lines = try LogLine.read("plan", folder: folder.path)
        writers.check(lines, holds: writers.submitted)
        #expect(UInt64(lines.count) == writers.revision)
        let verdict = try Program.run(["verify", "--data", folder.path])
        #expect(verdict.status == 0, "\(verdict.output)\(verdict.errors)")
        #expect(verdict.output.contains(hexDigits(digest)))
    }

    /// Compares what the killed server left with what was acknowledged, on a copy: the server shall recover its folder itself.
    private func check(_ round: Int, _ folder: String, _ copy: String, _ writers: BusyWriters) throws {
        // What had reached the sockets when the server died still comes in; all of it was durable before.
        let acknowledged = writers.acknowledged
        let revision = writers.revision
        for name in ["easel.db", "easel.db-wal"] where FileManager.default.fileExists(atPath: "\(folder)/\(name)") {
            try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(copy)/\(name)")
        }
        let lines = try LogLine.read("plan", folder: copy)
        writers.check(lines, holds: acknowledged)
        #expect(UInt64(lines.count) >= revision, "kill \(round)")
    }

    private func hexDigits(_ digest: UInt64) -> String {
        let digits = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
