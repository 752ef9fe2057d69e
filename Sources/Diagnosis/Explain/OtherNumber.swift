/// A number of Apple's that no rule of ATS or trust reports: another failure, or a status of a trust evaluation.
///
/// Source: docs/law/errors.md, docs/law/trust.md#words-of-a-trust-evaluation, docs/law/loaders.md, docs/console-lines.md;
/// the domains of streams: CFStream.h and CFHTTPStream.h
/// (documented); 303 with 4:-2201, and 4:-2103: developer forums 721029 and 771663 (observed).
struct OtherNumber {
    /// Of the stream; nil for the code of an error.
    var domain: Int?
    let number: Int
    var name: String?
    let words: String

    /// - Returns: nil for a number that no page lists.
    static func find(_ number: Int, domain: Int?) -> OtherNumber? {
        all.first { $0.number == number && $0.domain == domain }
    }

    private static let all = networkErrors + streams + trust + frameworks

    private static let networkErrors = [
        OtherNumber(
            number: -1009, name: "NSURLErrorNotConnectedToInternet",
            words: notATS
                + "the device is offline, or the system denied the load. \"Local network prohibited\" in the same text "
                + "means that the app has no permission for the local network."),
        OtherNumber(
            number: 303, name: "kCFErrorHTTPParseFailure",
            words: notATS + "the answer is not valid HTTP; with stream error 4:-2201 it is HTTP/2."),
    ]

    private static let streams = [
        OtherNumber(domain: 1, number: 50, name: "ENETDOWN", words: posix + ": the device is offline."),
        OtherNumber(domain: 1, number: 51, name: "ENETUNREACH", words: posix + ": the network is unreachable."),
        OtherNumber(domain: 1, number: 54, name: "ECONNRESET", words: posix + ": the connection was reset."),
        OtherNumber(domain: 1, number: 60, name: "ETIMEDOUT", words: posix + ": nothing answered in time."),
        OtherNumber(domain: 1, number: 61, name: "ECONNREFUSED", words: posix + ": nothing listens at that port."),
        OtherNumber(domain: 1, number: 65, name: "EHOSTUNREACH", words: posix + ": the host is unreachable."),
        OtherNumber(
            domain: 3, number: 0, words: "No error of TLS itself: a trust evaluation failed, see the other lines."),
        OtherNumber(domain: 4, number: -1, words: http + ": the answer is not HTTP (with -1017)."),
        OtherNumber(domain: 4, number: -4, words: http + ": the server closed the connection (with -1005)."),
        OtherNumber(domain: 4, number: -2096, words: http + ": the proxy did not answer CONNECT with 200 (with 310)."),
        OtherNumber(domain: 4, number: -2102, words: http + ": no answer came in time (with -1001)."),
        OtherNumber(domain: 4, number: -2103, words: http + ": the load timed out (with -1001)."),
        OtherNumber(domain: 4, number: -2201, words: http + ": a failure of HTTP/2 (with 303)."),
        OtherNumber(
            domain: 12, number: 8, name: "EAI_NONAME", words: notATS + "the name does not resolve (domain 12: netdb)."),
    ]

    private static let trust = [
        OtherNumber(
            number: -9812, name: "errSSLUnknownRootCert",
            words: "The chain ends at a root that is not trusted. Apps see -1202 or -1200 around it."),
        OtherNumber(
            number: -67602, name: "SSLHostname", words: evaluation + "the name does not match (trust.host-name)."),
        OtherNumber(
            number: -67818, name: "TemporalValidity",
            words: evaluation + "a certificate is not valid now (trust.expired, trust.not-yet-valid)."),
        OtherNumber(
            number: -67843, name: "AnchorTrusted", words: evaluation + "the root is not trusted (trust.untrusted-root)."
        ),
        OtherNumber(
            number: -25318, name: "MissingIntermediate",
            words: evaluation + "no chain to a root was found (trust.incomplete-chain)."),
        OtherNumber(
            number: -67901, name: "ValidityPeriodMaximums",
            words: evaluation + "a certificate is valid for too long (trust.validity-period)."),
    ]

    private static let frameworks = [
        OtherNumber(
            number: -11800, name: "AVErrorUnknown",
            words:
                "AVFoundation wraps another error, which names the cause: often -1022 for http. Look for it in the same "
                + "text.")
    ]

    private static let notATS = "Not ATS, and no TLS: "
    private static let posix = "Not ATS: the socket failed (domain 1: POSIX)"
    private static let http = "Not ATS: CFNetwork's HTTP failed (domain 4)"
    private static let evaluation = "A status of the system's trust evaluation: "
}
