import EaselClient
import EaselClientEngine
import EaselCore
import EaselSupport
import Foundation

/// Somebody with a canvas open.
final class Person {
    let store: CanvasStore
    private let connection: CanvasConnection

    init(_ name: String, canvas: String, server: ServerAddress, authorityFile: String? = nil) throws {
        let site = SiteID(UInt64.random(in: 1...SiteID.maximum))!
        store = CanvasStore(canvas: CanvasID(canvas)!, name: name, provisionalSite: site)
        connection = try CanvasConnection(
            store: store, server: server, authorityFile: authorityFile, log: Log(threshold: .error, write: { _ in }))
        connection.start()
    }

    /// Why there is no connection.
    var failure: String? { connection.failure?.description }

    deinit { connection.stop() }
}

/// Waits until a condition holds; false after `seconds`.
func eventually(within seconds: Double = 30, _ condition: () -> Bool) -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    while !condition() {
        if Date() > deadline { return false }
        usleep(5_000)
    }
    return true
}
