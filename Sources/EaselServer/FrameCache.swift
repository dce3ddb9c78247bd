import EaselServerEngine
import EaselWebSocket

/// The frames made last, so that a payload that goes to a whole room is put into a frame once.
struct FrameCache {
    private var entries: [(payload: SharedPayload, frame: [UInt8])] = []
    private var next = 0

    /// The payload as one WebSocket frame.
    mutating func frame(_ payload: SharedPayload) -> [UInt8] {
        if let known = entries.first(where: { $0.payload === payload }) { return known.frame }
        let frame = FrameWriter.message(.binary, payload.bytes)
        if entries.count < ServerLimits.framesKept {
            entries.append((payload, frame))
        } else {
            entries[next] = (payload, frame)
            next = (next + 1) % ServerLimits.framesKept
        }
        return frame
    }
}
