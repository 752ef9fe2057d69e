/// A known cause of a failure that ATS has no part in. Raw values are shown.
public enum OtherCause: String, Sendable, Hashable, CaseIterable {
    /// The app has no permission for the local network, or the device is offline.
    case localNetwork = "local-network"
    /// watchOS allows sockets only to some apps.
    case watchSockets = "watch-sockets"
    /// The server broke HTTP/2, or answered with something other than HTTP.
    case http2
    /// A background load was not finished in time.
    case backgroundTimeout = "background-timeout"
    /// A client with its own sockets, or on Network.framework, rejected the server's certificate itself.
    case ownVerification = "own-verification"
    /// The runtime of Dart has its own TLS, and older versions had their own rule on http.
    case dart

    /// A sentence for readers, without the beginning "not ATS: ".
    public var words: String {
        switch self {
        case .localNetwork:
            "no permission for the local network, or no network (-1009 [1:50]); see atsgate explain "
                + "is-it-ats#local-network-permission"
        case .watchSockets:
            "watchOS does not allow sockets to this app (NECP); see atsgate explain is-it-ats#by-the-code"
        case .http2:
            "an answer that is not valid HTTP, or a failure of HTTP/2 (303, 4:-2201); see atsgate explain "
                + "is-it-ats#by-the-code"
        case .backgroundTimeout:
            "a load that was not finished in time (-1001 [4:-2103]); see atsgate explain is-it-ats#by-the-code"
        case .ownVerification:
            "a client with its own connection, such as Network.framework, rejected the server's certificate; see "
                + "atsgate explain law/loaders#coverage"
        case .dart: "Dart's own connection, to which ATS does not apply; see atsgate explain law/loaders#coverage"
        }
    }

    /// The cause in the text of a message that names no load; nil if there is none. Source: a watch's log of
    /// watchOS 9 and later; daltoniam/Starscream 726; Flutter, "Insecure HTTP connections are disabled by default".
    static func inText(_ text: LogText) -> OtherCause? {
        guard let (_, cause) = needles.first(where: { text.contains($0.0) }) else { return nil }
        return cause
    }

    private static let needles: [(StaticString, OtherCause)] = [
        ("denied by NECP policy", .watchSockets),
        ("Local network prohibited", .localNetwork),
        ("write alert, level: fatal", .ownVerification),
        ("Insecure HTTP is not allowed by platform", .dart),
        ("HandshakeException: ", .dart),
    ]
}

extension EvidenceTask {
    /// The known cause of its failure if ATS has no part in it. Source: developer forums 721029 (303, 4:-2201) and 771663
    /// (4:-2103); docs/law/errors.md#codes.
    public var otherCause: OtherCause? {
        guard outcome == .failed else { return nil }
        switch (code, streamDomain, streamCode) {
        case (-1009, 1, 50): return .localNetwork
        case (_, 4, -2201), (303, _, _): return .http2
        case (-1001, 4, -2103): return .backgroundTimeout
        default: return nil
        }
    }
}
