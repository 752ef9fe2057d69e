public import Text

/// The target of a load: the parts of its URL that the ATS rules use.
public struct LoadTarget: Sendable, Hashable {
    public enum Scheme: String, Sendable, Hashable {
        case http, https

        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    public let scheme: Scheme
    /// Host text of the URL in lower case, an IPv6 address without brackets. A trailing dot is kept: it is literal in
    /// exception domains (docs/law/domains.md#matching, C12).
    public let host: String
    public let port: Int

    /// The address that a resolver reads in the host, unusual spellings included; nil for a name.
    public var address: IPAddress? { IPAddress(host: host) }

    public init(scheme: Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
    }

    /// The URL of the target without a path and without the default port, IPv6 in brackets.
    public var origin: String {
        scheme.rawValue + "://" + Authority(host: host, port: port == scheme.defaultPort ? nil : port).description
    }
}

/// The part of the system that sent a request; ATS grants depend on it. Source: Apple, Preventing Insecure Network
/// Connections; matomo-org/device-detector, ua-parser/uap-core; docs/law/loaders.md#coverage,
/// docs/law/loaders.md#user-agent.
public enum Loader: String, Sendable, Hashable, CaseIterable {
    /// The app's own process through URLSession.
    case app
    /// A WebKit process.
    case web
    /// AVFoundation's media process.
    case media
}

/// The degree of support for a statement about Apple's systems. See docs/README.md#confidence.
public enum Confidence: String, Sendable, Hashable {
    /// Documented by Apple.
    case documented
    /// Read in Apple's published source.
    case source
    /// Observed by several developers.
    case observed
    /// Observed once.
    case observedOnce = "observed-once"
    /// Inferred by us.
    case inferred
}
