public import Text

/// What a load asks for, as far as the law cares.
public struct LoadTarget: Sendable, Hashable {
    public enum Scheme: String, Sendable, Hashable {
        case http, https

        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    public let scheme: Scheme
    /// Host text of the URL in lower case, an IPv6 address without brackets. A trailing dot is kept: it is literal in
    /// exception domains (`ats-semantics.md` 2.4, C12).
    public let host: String
    public let port: Int

    /// The address that the host means to a resolver, odd spellings included; nil for a name.
    public var address: IPAddress? { IPAddress(host: host) }

    public init(scheme: Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
    }

    /// The URL of the target without a path, default port left out, IPv6 in brackets.
    public var origin: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == scheme.defaultPort ? "\(scheme.rawValue)://\(name)" : "\(scheme.rawValue)://\(name):\(port)"
    }
}

/// Which part of the system asked for a load; ATS grants differ by it. Source: `ats-semantics.md` 7.1, 7.4.
public enum Loader: String, Sendable, Hashable, CaseIterable {
    /// The app's own process through URLSession.
    case app
    /// A WebKit process.
    case web
    /// AVFoundation's media process.
    case media
    /// A client that ATS does not govern: curl, dart:io, raw sockets.
    case outside
}

/// How well a statement about Apple's systems is supported. Source of the marks: `ats-semantics.md` 0.1.
public enum Confidence: String, Sendable, Hashable {
    /// `[D]` documented by Apple.
    case documented
    /// `[S]` read in Apple's published source.
    case source
    /// `[O]` observed by several developers.
    case observed
    /// `[O1]` observed once.
    case observedOnce = "observed-once"
    /// `[I]` inferred by us.
    case inferred
}
