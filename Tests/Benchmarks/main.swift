import Glibc

/// Every group of benchmarks, by the name that an argument may give to run it alone.
let groups: [(name: String, run: (inout Reporter) -> Void)] = [
    ("core", CoreBenchmarks.run), ("codec", CodecBenchmarks.run), ("room", RoomBenchmarks.run),
    ("log", LogBenchmarks.run),
    ("undo", UndoBenchmarks.run), ("undo-many", UndoBenchmarks.manyShapes), ("undo-memory", UndoMemoryBenchmarks.run),
    ("load", LoadBenchmarks.crash), ("join", JoinBenchmarks.run),
    ("join-memory", LoadBenchmarks.joinMemory), ("memory", MemoryBenchmarks.run), ("idle", IdleBenchmarks.run),
    ("fan-out", FanOutBenchmarks.run), ("overload", OverloadBenchmarks.run), ("neighbour", NeighbourBenchmarks.run),
]

let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == LoadBenchmarks.fillArgument, let count = Int(arguments[3]) {
    LoadBenchmarks.fillAndDie(arguments[2], count)
}

let wanted = Set(CommandLine.arguments.dropFirst())
guard wanted.isSubset(of: groups.map(\.name)) else {
    print("benchmarks are \(groups.map(\.name).joined(separator: ", "))")
    exit(2)
}
var reporter = Reporter()
print("load of the machine before: \(Processors.load)")
reporter.measureReference()
for group in groups where wanted.isEmpty || wanted.contains(group.name) { group.run(&reporter) }
print("load of the machine after: \(Processors.load)")
exit(reporter.missed == 0 ? 0 : 1)
