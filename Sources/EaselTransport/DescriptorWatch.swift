import CWebSockets
import Glibc

/// Tells a loop's owner when a descriptor can be read: a pipe, a terminal, a listening socket. Made by `EventLoop.watch`.
///
/// Unchecked, because its members are touched on the loop's thread only, and every entry checks that.
public final class DescriptorWatch: @unchecked Sendable {
    private let loop: EventLoop
    private var readable: (() -> Void)?
    private var wsi: OpaquePointer?
    /// Keeps the object alive while the library holds a pointer to it.
    private var anchor: DescriptorWatch?

    /// Takes `descriptor` over: it is closed when the watch ends, also when this fails.
    init(loop: EventLoop, owning descriptor: Int32, readable: @escaping () -> Void) throws(TransportError) {
        self.loop = loop
        self.readable = readable
        guard
            let wsi = loop.adopt(
                descriptor, LWS_ADOPT_RAW_FILE_DESC, for: Unmanaged.passUnretained(self).toOpaque())
        else {
            Glibc.close(descriptor)
            throw .failed(call: "lws_adopt_descriptor_vhost_via_info", detail: "no room for another descriptor")
        }
        self.wsi = wsi
        anchor = self
    }

    /// Stops watching. Nothing is reported afterwards. On the loop only.
    public func cancel() {
        loop.checkOnLoop()
        guard readable != nil else { return }
        readable = nil
        // It may be called from within the library's callback for this very descriptor.
        loop.atEndOfTurn { [self] in
            if let wsi {
                lws_set_timeout(wsi, NO_PENDING_TIMEOUT, LWS_TO_KILL_SYNC)
            }
        }
    }

    /// Stops looking at the descriptor for `milliseconds`.
    func pause(milliseconds: Int) {
        guard let wsi else { return }
        lws_rx_flow_control(wsi, 0)
        loop.schedule(after: milliseconds) { [self] in
            if let wsi = self.wsi {
                lws_rx_flow_control(wsi, 1)
            }
        }
    }

    func libraryFoundReadable() {
        readable?()
    }

    func libraryClosed() {
        wsi = nil
        readable = nil
        anchor = nil
    }
}
