import CWebSockets

/// The one protocol that all our connections and descriptors speak as far as libwebsockets knows: raw bytes.
enum RawProtocol {
    /// Its name, by which libwebsockets finds it.
    static let name = "easel-raw"

    /// The table that libwebsockets wants, ended by an empty entry.
    ///
    /// Unsafe only for the compiler: libwebsockets keeps pointers to the table and reads it, nobody writes to it, and it lives
    /// as long as the process.
    nonisolated(unsafe) static let table: UnsafePointer<lws_protocols> = {
        let table = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        table.initialize(repeating: lws_protocols(), count: 2)
        let nameCopy = UnsafeMutablePointer<CChar>.allocate(capacity: name.utf8.count + 1)
        for (index, byte) in name.utf8CString.enumerated() {
            nameCopy[index] = byte
        }
        table[0].name = UnsafePointer(nameCopy)
        table[0].callback = serviceCallback
        return UnsafePointer(table)
    }()
}

/// Everything libwebsockets has to say arrives here, on the loop's thread.
///
/// The answer is always 0: a connection is never closed by the answer of one of its own callbacks, but at the end of the turn.
private func serviceCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ content: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
    guard let wsi else { return 0 }
    switch reason {
    case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_CONNECTED:
        object(of: wsi, Connection.self)?.libraryOpened(wsi)
    case LWS_CALLBACK_RAW_RX:
        object(of: wsi, Connection.self)?.libraryReceived(UnsafeRawBufferPointer(start: content, count: count))
    case LWS_CALLBACK_RAW_WRITEABLE:
        object(of: wsi, Connection.self)?.libraryFoundWritable()
    case LWS_CALLBACK_RAW_CLOSE:
        object(of: wsi, Connection.self)?.libraryClosed(wsi)
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        let text = content.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: count), as: UTF8.self) }
        object(of: wsi, Connection.self)?.libraryClosed(wsi, detail: text)
    case LWS_CALLBACK_RAW_RX_FILE:
        object(of: wsi, DescriptorWatch.self)?.libraryFoundReadable()
    case LWS_CALLBACK_RAW_CLOSE_FILE:
        object(of: wsi, DescriptorWatch.self)?.libraryClosed()
    default:
        break
    }
    return 0
}

/// The object that was given to the library with the socket. It is alive, because it anchors itself until the library reports the
/// end.
private func object<Object: AnyObject>(of wsi: OpaquePointer, _ type: Object.Type) -> Object? {
    lws_get_opaque_user_data(wsi).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
}
