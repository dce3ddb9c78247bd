import Glibc

/// The operating system's words for an error number.
func errorText(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return text(inBuffer: buffer)
}

/// The text that a C function left in `buffer`, up to its terminating zero.
func text(inBuffer buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
