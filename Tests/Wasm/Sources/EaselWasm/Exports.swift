/// Memory for `count` bytes that the caller fills and hands to another function here.
@_expose(wasm, "easel_allocate")
@c(easel_allocate)
public func easelAllocate(_ count: UInt32) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer.allocate(byteCount: Int(count), alignment: 8)
}

/// Gives back what `easel_allocate` handed out.
@_expose(wasm, "easel_free")
@c(easel_free)
public func easelFree(_ pointer: UnsafeMutableRawPointer) {
    pointer.deallocate()
}

/// Applies a log to an empty canvas and writes the digest it leads to.
///
/// - Returns: The number of commits; -1 when the bytes are not a log; -2 when a digest in it differs from the canvas's.
@_expose(wasm, "easel_apply_log")
@c(easel_apply_log)
public func easelApplyLog(
    _ pointer: UnsafePointer<UInt8>, _ count: UInt32, _ digest: UnsafeMutablePointer<UInt64>
) -> Int32 {
    switch replay(Array(UnsafeBufferPointer(start: pointer, count: Int(count)))) {
    case .success(let replayed):
        digest.pointee = replayed.digest
        return replayed.commits
    case .failure(.notALog): return -1
    case .failure(.digestDiffers): return -2
    }
}
