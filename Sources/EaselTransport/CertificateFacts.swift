import COpenSSL
public import EaselSupport
import Glibc

/// What a certificate says of itself, as far as an operator wants to know.
public struct CertificateFacts: Hashable, Sendable {
    /// Whether a certificate can be accepted at a time.
    public enum Validity: Sendable {
        case notYet, valid, expired
    }

    /// Whose certificate it is, in the form of RFC 2253; the names and addresses it is for where it has no subject.
    public let subject: String
    /// The first moment at which it is valid.
    public let validFrom: WallTime
    /// The last moment at which it is valid.
    public let validUntil: WallTime

    /// Reads a certificate; nil where that is none, or its times are none.
    init?(_ certificate: OpaquePointer?) {
        guard let certificate, let from = time(X509_get0_notBefore(certificate)),
            let until = time(X509_get0_notAfter(certificate))
        else { return nil }
        let name = written { X509_NAME_print_ex($0, X509_get_subject_name(certificate), 0, easel_name_form) }
        subject = name.isEmpty ? alternativeNames(of: certificate) : name
        (validFrom, validUntil) = (from, until)
    }

    /// Whether it can be accepted at a time. Both ends count as valid (RFC 5280, 4.1.2.5).
    public func validity(at now: WallTime) -> Validity {
        let now = now.millisecondsSince1970
        if now < validFrom.millisecondsSince1970 { return .notYet }
        return now <= validUntil.millisecondsSince1970 ? .valid : .expired
    }
}

private func alternativeNames(of certificate: OpaquePointer) -> String {
    let place = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
    guard let names = X509_get_ext(certificate, place) else { return "" }
    return written { X509V3_EXT_print($0, names, 0, 0) }
}

/// The beginning of what OpenSSL writes.
private func written(_ write: (OpaquePointer) -> Void) -> String {
    guard let output = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(output) }
    write(output)
    var bytes = [UInt8](repeating: 0, count: TransportLimits.certificateNameBytes)
    let count = BIO_read(output, &bytes, Int32(bytes.count))
    return String(decoding: bytes[..<Int(max(0, count))], as: UTF8.self)
}

private func time(_ time: UnsafePointer<ASN1_TIME>?) -> WallTime? {
    var parts = tm()
    guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return WallTime(millisecondsSince1970: Int64(timegm(&parts)) * 1_000)
}
