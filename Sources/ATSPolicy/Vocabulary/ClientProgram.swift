import Text

/// A program that is identified by its User-Agent and is not a loader of Apple's systems. Raw values are stored and
/// shown: never rename one, only add.
///
/// Source: matomo-org/device-detector, ua-parser/uap-core, foroco/php-browser-detection, their public test fixtures;
/// docs/law/loaders.md#user-agent.
public enum ClientProgram: String, Sendable, Hashable, CaseIterable {
    /// Safari, and the app components that show its pages: SFSafariViewController, ASWebAuthenticationSession.
    case safari = "Safari"
    case chrome = "Chrome"
    case firefox = "Firefox"
    case edge = "Edge"
    /// `dart:io`, which Flutter's apps use.
    case dart = "Dart"
    case okhttp = "okhttp"
    /// Go's net/http.
    case go = "Go"
    case curl = "curl"
    case libcurl = "libcurl"
    case wget = "Wget"
    case python = "Python"
    case node = "Node.js"
    case java = "Java"
    /// A User-Agent that atsgate does not know.
    case unknown = "an unknown User-Agent"
    /// A client that sends no User-Agent.
    case unnamed = "no User-Agent"

    /// True if the program brings its own TLS and sockets, so that ATS does not govern it even in an app.
    public var bringsOwnTLS: Bool {
        switch self {
        case .dart, .okhttp, .go: true
        case .safari, .chrome, .firefox, .edge, .curl, .libcurl, .wget, .python, .node, .java, .unknown, .unnamed: false
        }
    }

    /// True if the program loads for its user, not for an app.
    public var isBrowser: Bool {
        switch self {
        case .safari, .chrome, .firefox, .edge: true
        case .dart, .okhttp, .go, .curl, .libcurl, .wget, .python, .node, .java, .unknown, .unnamed: false
        }
    }

    /// Returns the program whose User-Agent begins with this text.
    static func beginning(_ agent: String) -> ClientProgram? {
        // Safari's helper processes send URLSession's own form of User-Agent with Safari's name.
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

    /// Returns a WebKit browser other than Safari on an iPhone or iPad, identified by its own token.
    static func browserOnDevice(_ agent: String) -> ClientProgram? {
        if agent.holds(" CriOS/") { return .chrome }
        if agent.holds(" FxiOS/") { return .firefox }
        return agent.holds(" EdgiOS/") ? .edge : nil
    }

    /// Returns a computer's browser that does not use WebKit.
    static func browserWithItsOwnEngine(_ agent: String) -> ClientProgram? {
        if agent.holds(" Edg/") { return .edge }
        if agent.holds("Chrome/") { return .chrome }
        return agent.holds(" Firefox/") ? .firefox : nil
    }
}

extension ClientProgram {
    /// The reason why ATS does not govern the program on a device, as a sentence without a full stop; `source` is nil
    /// if that is inferred.
    public var outsideReason: (words: String, source: String?, confidence: Confidence) {
        switch self {
        case .dart:
            ("dart:io uses its own sockets and TLS", "dart-lang/sdk 53929; flutter/flutter 54448", .observed)
        case .okhttp, .go, .curl, .libcurl, .wget, .python, .node, .java, .unknown, .unnamed:
            ("it uses its own sockets and TLS", "Apple, Preventing Insecure Network Connections", .documented)
        case .safari, .chrome, .firefox, .edge:
            ("a browser loads for its user, so the app's dictionary does not apply", nil, .inferred)
        }
    }
}
