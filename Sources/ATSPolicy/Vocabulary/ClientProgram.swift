import Text

/// A program that is told by its User-Agent and is none of the loaders of Apple's systems. Raw values are stored and
/// shown: never rename one, only add.
///
/// Source: matomo-org/device-detector, ua-parser/uap-core, foroco/php-browser-detection, their public test fixtures;
/// docs/law/loaders.md#user-agent.
public enum ClientProgram: String, Sendable, Hashable, CaseIterable {
    /// Safari, and what shows its pages in an app: SFSafariViewController, ASWebAuthenticationSession.
    case safari = "Safari"
    case chrome = "Chrome"
    case firefox = "Firefox"
    case edge = "Edge"
    /// `dart:io`, which Flutter's apps use.
    case dart = "Dart"
    case okhttp = "okhttp"
    /// The net/http of Go.
    case go = "Go"
    case curl = "curl"
    case libcurl = "libcurl"
    case wget = "Wget"
    case python = "Python"
    case node = "Node.js"
    case java = "Java"
    /// An agent of which nothing is known.
    case unknown = "an unknown User-Agent"
    /// A client that sends no agent.
    case unnamed = "no User-Agent"

    /// It brings its own TLS and sockets, so that ATS does not govern it even in an app.
    public var bringsOwnTLS: Bool {
        switch self {
        case .dart, .okhttp, .go: true
        case .safari, .chrome, .firefox, .edge, .curl, .libcurl, .wget, .python, .node, .java, .unknown, .unnamed: false
        }
    }

    /// It loads for its user, not for an app.
    public var isBrowser: Bool {
        switch self {
        case .safari, .chrome, .firefox, .edge: true
        case .dart, .okhttp, .go, .curl, .libcurl, .wget, .python, .node, .java, .unknown, .unnamed: false
        }
    }

    /// The program whose agents begin so.
    static func beginning(_ agent: String) -> ClientProgram? {
        // Safari's helpers send URLSession's own form with a name of Safari's.
        if safariHelpers.contains(where: agent.hasPrefix), agent.holds(" CFNetwork/") { return .safari }
        if agent == "node" { return .node }
        return beginnings.first { agent.hasPrefix($0.text) }?.program
    }

    private static let safariHelpers = ["MobileSafari/", "Safari/", "SafariViewService/"]
    private static let beginnings: [(text: String, program: ClientProgram)] = [
        ("Dart/", .dart), ("okhttp/", .okhttp), ("Go-http-client/", .go), ("curl/", .curl), ("libcurl/", .libcurl),
        ("Wget/", .wget), ("Wget2/", .wget), ("Python/", .python), ("Python-urllib/", .python),
        ("python-requests/", .python), ("python-httpx/", .python), ("python-urllib3/", .python),
        ("node-fetch/", .node), ("axios/", .node), ("undici", .node), ("Java/", .java), ("Java-http-client/", .java),
        ("Apache-HttpClient/", .java),
    ]

    /// A browser that is not Safari on an iPhone or iPad: WebKit, with a word of its own.
    static func browserOnDevice(_ agent: String) -> ClientProgram? {
        if agent.holds(" CriOS/") { return .chrome }
        if agent.holds(" FxiOS/") { return .firefox }
        return agent.holds(" EdgiOS/") ? .edge : nil
    }

    /// A browser of a computer that is not WebKit.
    static func browserWithItsOwnEngine(_ agent: String) -> ClientProgram? {
        if agent.holds(" Edg/") { return .edge }
        if agent.holds("Chrome/") { return .chrome }
        return agent.holds(" Firefox/") ? .firefox : nil
    }
}

extension ClientProgram {
    /// Why ATS does not govern it on a device, as a sentence without its end; `source` is nil where that is inferred.
    public var outsideReason: (words: String, source: String?, confidence: Confidence) {
        switch self {
        case .dart:
            ("dart:io has sockets and TLS of its own", "dart-lang/sdk 53929; flutter/flutter 54448", .observed)
        case .okhttp, .go, .curl, .libcurl, .wget, .python, .node, .java, .unknown, .unnamed:
            ("it has sockets and TLS of its own", "Apple, Preventing Insecure Network Connections", .documented)
        case .safari, .chrome, .firefox, .edge:
            ("a browser loads for its user, and not by the app's dictionary", nil, .inferred)
        }
    }
}
