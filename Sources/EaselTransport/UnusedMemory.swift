import CWebSockets

/// Memory that the process holds and does not use.
public enum UnusedMemory {
    /// Gives pages on which nothing lies back to the system. The C library does so by itself only with those behind everything else,
    /// and what handshakes took lies between connections that live on.
    ///
    /// Other threads may wait for memory meanwhile: some milliseconds for 10 MB that are given back.
    public static func giveBack() { _ = malloc_trim(0) }
}
