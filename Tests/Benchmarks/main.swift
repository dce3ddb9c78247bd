import EaselSupport
import Foundation

/// Every group of benchmarks, by the name that an argument may give to run it alone.
let groups: [(name: String, run: (inout Reporter) throws -> Void)] = [
    ("core", CoreBenchmarks.run), ("codec", CodecBenchmarks.run), ("room", RoomBenchmarks.run),
    ("log", LogBenchmarks.run),
    ("undo", UndoBenchmarks.run), ("undo-many", UndoBenchmarks.manyShapes), ("undo-memory", UndoMemoryBenchmarks.run),
    ("load", LoadBenchmarks.crash), ("join", JoinBenchmarks.run),
    ("join-memory", LoadBenchmarks.joinMemory), ("memory", MemoryBenchmarks.run), ("idle", IdleBenchmarks.run),
    ("stalled", StalledBenchmarks.run), ("fan-out", FanOutBenchmarks.run), ("overload", OverloadBenchmarks.run),
    ("neighbour", NeighbourBenchmarks.run),
]

/// How long a group may take, seconds. The longest take a minute or two.
let patience = 600.0

/// Ends the benchmarks at once and leaves nothing behind: the programs they started end with them.
@Sendable func giveUp(_ reason: String) -> Never {
    print("ENDED: \(reason)")
    WorkFolder.remove()
    exit(1)
}

let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == LoadBenchmarks.fillArgument, let count = Int(arguments[3]) {
    LoadBenchmarks.fillAndDie(arguments[2], count)
}

let wanted = Set(arguments.dropFirst())
guard wanted.isSubset(of: groups.map(\.name)) else {
    print("benchmarks are \(groups.map(\.name).joined(separator: ", "))")
    exit(2)
}

let signals = SignalWatch([.interrupt, .terminate])
Thread.detachNewThread { [descriptor = signals.descriptor] in
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&polled, 1, -1) <= 0 {}
    giveUp("interrupted")
}

var reporter = Reporter()
reporter.measureReference()
for group in groups where wanted.isEmpty || wanted.contains(group.name) {
    print("-- \(group.name), load of the machine \(Processors.load)")
    let limit = DispatchWorkItem { [name = group.name] in giveUp("\(name) takes longer than \(patience) s") }
    DispatchQueue.global().asyncAfter(deadline: .now() + patience, execute: limit)
    do {
        try group.run(&reporter)
    } catch {
        reporter.skip(group.name, (error as? NotMeasured)?.reason ?? "\(error)")
    }
    limit.cancel()
}
reporter.summarize()
print("-- end, load of the machine \(Processors.load)")
WorkFolder.remove()
exit(reporter.isSatisfied ? 0 : 1)
