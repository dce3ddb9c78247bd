import Glibc

/// Every group of benchmarks, by the name that an argument may give to run it alone.
let groups: [(name: String, run: (inout Reporter) -> Void)] = [
    ("undo", UndoBenchmarks.run), ("undo-many", UndoBenchmarks.manyShapes), ("undo-memory", UndoMemoryBenchmarks.run),
    ("load", LoadBenchmarks.crash), ("join-memory", LoadBenchmarks.joinMemory),
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
reporter.measureReference()
for group in groups where wanted.isEmpty || wanted.contains(group.name) { group.run(&reporter) }
exit(reporter.missed == 0 ? 0 : 1)
