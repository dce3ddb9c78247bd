import EaselCore
import EaselSupport
import EaselTransport
import Foundation
import Testing

@testable import EaselServer

@Suite("The way from one event loop to another")
struct MailTests {
    private static let canvases = (0..<4).compactMap { CanvasID("canvas\($0)") }

    @Test("it is full while the other loop has not taken in what was sent, and only then; parcels arrive in order")
    func backPressure() throws {
        let loop = try EventLoop(name: "busy", log: Log(write: { _ in }))
        try loop.start()
        defer { loop.stop() }
        let arrived = Locked<[CanvasID]>([])
        let route = MailRoute(to: loop) { parcel in
            if case .inputs(let canvas, _) = parcel { arrived.withLock { $0.append(canvas) } }
        }
        let (isBusy, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        loop.post {
            isBusy.signal()
            mayGoOn.wait()
        }
        isBusy.wait()
        for (number, canvas) in Self.canvases.enumerated() {
            route.add(.inputs(canvas, []))
            route.count(ServerLimits.mailBytes / 4)
            if number % 2 == 1 { route.send() }
            #expect(!route.isFull, "as much as may be under way, not more")
        }
        route.count(1)
        #expect(route.isFull && arrived.withLock { $0.isEmpty })
        mayGoOn.signal()
        loop.call {}
        #expect(!route.isFull)
        #expect(arrived.withLock { $0 } == Self.canvases)
    }
}
