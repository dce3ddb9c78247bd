import EaselClient
import EaselTransport

/// What a load run does.
struct LoadPlan: Sendable {
    /// Where the server is.
    var server = ServerAddress.local
    /// For a server reached over TLS, whose certificates are accepted.
    var trust: TLSTrust?
    /// How many canvases there are.
    var canvases = 1
    /// Clients of each canvas that edit.
    var editors = 10
    /// Clients of each canvas that only watch.
    var viewers = 40
    /// Editors of each canvas that use the whole client engine; the others keep no canvas.
    var engines = 2
    /// Actions of one editor a second.
    var rate = 20.0
    /// How long is measured, seconds.
    var seconds = 10
    /// How long the load runs before, seconds.
    var warmUpSeconds = 2
    /// How many of a hundred actions type a character.
    var typing = 10
    /// How many of a hundred actions of an editor with an engine are undo or redo.
    var undo = 10
    /// Shapes each canvas begins with.
    var shapes = 0
    /// Connections made a second.
    var connectsPerSecond = 500
    /// The process whose processor time is counted; nil for none.
    var serverProcess: Int32?

    var clientCount: Int { canvases * (editors + viewers) }
}
