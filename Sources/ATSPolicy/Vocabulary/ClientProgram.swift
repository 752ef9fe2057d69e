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

    /// What an agent of it begins with. The helpers of Safari send URLSession's own form with a name of Safari's.
    func begins(_ agent: String) -> Bool {
        let beginnings: [String] =
            switch self {
            case .safari: agent.contains(" CFNetwork/") ? ["MobileSafari/", "Safari/", "SafariViewService/"] : []
            case .dart: ["Dart/"]
            case .okhttp: ["okhttp/"]
            case .go: ["Go-http-client/"]
            case .curl: ["curl/"]
            case .libcurl: ["libcurl/"]
            case .wget: ["Wget/", "Wget2/"]
            case .python: ["Python/", "Python-urllib/", "python-requests/", "python-httpx/", "python-urllib3/"]
            case .node: ["node-fetch/", "axios/", "undici"]
            case .java: ["Java/", "Java-http-client/", "Apache-HttpClient/"]
            case .chrome, .firefox, .edge, .unknown, .unnamed: []
            }
        return beginnings.contains { agent.hasPrefix($0) } || self == .node && agent == "node"
    }

    /// A browser that is not Safari on an iPhone or iPad: WebKit, with a word of its own.
    static func browserOnDevice(_ agent: String) -> ClientProgram? {
        if agent.contains(" CriOS/") { return .chrome }
        if agent.contains(" FxiOS/") { return .firefox }
        return agent.contains(" EdgiOS/") ? .edge : nil
    }

    /// A browser of a computer that is not WebKit.
    static func browserWithItsOwnEngine(_ agent: String) -> ClientProgram? {
        if agent.contains(" Edg/") { return .edge }
        if agent.contains("Chrome/") { return .chrome }
        return agent.contains(" Firefox/") ? .firefox : nil
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
