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

/// The client that a User-Agent indicates; an app may set its own. Source: matomo-org/device-detector,
/// ua-parser/uap-core, foroco/php-browser-detection, their public test fixtures; docs/law/loaders.md#user-agent.
public struct ClientReading: Sendable, Hashable {
    /// The loader that its loads are judged as.
    public let loader: Loader
    /// The program that is treated as that loader; nil if the loader itself sends such an agent.
    public let program: ClientProgram?
    /// True if ATS does not govern the program on a device.
    public let isOutside: Bool

    private init(_ loader: Loader, _ program: ClientProgram? = nil, isOutside: Bool = false) {
        self.loader = loader
        self.program = program
        self.isOutside = isOutside
    }

    /// - Parameter isCommand: true if a command under test started the client. A library with its own TLS is then
    ///   treated as the app (docs/law/loaders.md#outside).
    public init(userAgent: String?, isCommand: Bool = false) {
        guard let agent = userAgent else {
            self.init(.app, .unnamed)
            return
        }
        if agent.hasPrefix("Mozilla/") {
            self = Self.ofBrowserEngine(agent)
        } else if agent.hasPrefix("AppleCoreMedia/") {
            self.init(.media)
        } else if agent.hasPrefix("com.apple.WebKit") {
            self.init(.web)
        } else if let program = ClientProgram.beginning(agent) {
            let isOutside = program.bringsOwnTLS ? !isCommand : program.isBrowser
            self.init(.app, program, isOutside: isOutside)
        } else {
            self.init(.app, agent.holds(" CFNetwork/") ? nil : .unknown)
        }
    }

    /// An app's web view sends neither Version nor a browser name. Browsers on WebKit do not load for the app. A
    /// browser with another engine runs on a computer and is treated as the app's web view.
    private static func ofBrowserEngine(_ agent: String) -> ClientReading {
        let isApple = ["(iPhone;", "(iPad;", "(iPod", "(Macintosh;"].contains(where: agent.holds)
        guard isApple else { return ClientReading(.web, .browserWithItsOwnEngine(agent) ?? .unknown) }
        if let browser = ClientProgram.browserOnDevice(agent) {
            return ClientReading(.app, browser, isOutside: true)
        }
        if let other = ClientProgram.browserWithItsOwnEngine(agent) { return ClientReading(.web, other) }
        let isSafari = agent.holds(" Version/") && agent.holds(" Safari/")
        return isSafari ? ClientReading(.app, .safari, isOutside: true) : ClientReading(.web)
    }

    /// The client, judged as its loader even if ATS does not govern it on a device.
    public var judged: ClientReading { ClientReading(loader, program) }

    /// Returns a client with a fixed loader, regardless of its User-Agent.
    public static func assumed(_ loader: Loader) -> ClientReading { ClientReading(loader) }
}

/// The treatment of loads by clients that ATS does not govern on a device.
public enum OutsideClients: String, Sendable, Hashable, CaseIterable {
    /// ATS does not apply to them; they are recorded as outside.
    case pass
    /// As `pass`, and a client whose ClientHello is not of Apple's TLS is outside, too.
    case hello
    /// They are judged as loads of the app.
    case judge
}

/// The SDK that an app was linked with, as Xcode writes it into the bundle's Info.plist.
public struct LinkedSDK: Sendable, Hashable, CustomStringConvertible {
    public let platform: OSRelease.Platform
    public let version: OSVersion

    public init(platform: OSRelease.Platform, version: OSVersion) {
        self.platform = platform
        self.version = version
    }

    /// - Parameters:
    ///   - name: the value of `DTSDKName`, for example `iphoneos17.2`.
    ///   - platform: that of the bundle, used if `name` cannot be read.
    ///   - version: the value of `DTPlatformVersion`, used in the same case.
    /// - Returns: nil if neither can be read.
    init?(name: String?, platform: OSRelease.Platform?, version: String?) {
        let word = name?.prefix { !$0.isNumber } ?? ""
        if let name, let platform = OSRelease.Platform(sdk: String(word)),
            let version = OSVersion(name.dropFirst(word.count))
        {
            self.platform = platform
            self.version = version
        } else if let platform, let version = version.flatMap({ OSVersion($0) }) {
            self.platform = platform
            self.version = version
        } else {
            return nil
        }
    }

    /// Reads a name as Xcode writes it, or that of a release, for example `iphoneos18.5` or `ios18.5`.
    ///
    /// - Returns: nil for any other text.
    public init?(_ name: String) {
        self.init(name: name.lowercased(), platform: nil, version: nil)
    }

    /// For messages, for example `the SDK of iOS 16.4 (DTSDKName)`.
    public var description: String { "the SDK of \(platform.title) \(version) (\(Self.key))" }

    /// The name of the release whose SDK it is, for example `ios16.4`.
    public var name: String { platform.rawValue + version.description }

    /// True for SDKs older than those of an iOS release and its sibling releases.
    public func isBefore(_ generation: OSVersion) -> Bool {
        if let release = OSRelease(platform, version) { return release.generation < generation }
        // The version is older than ATS, or newer than all known releases.
        return version < OSVersion(9)
    }

    public static let key = "DTSDKName"
}

extension OSRelease.Platform {
    /// Reads an SDK or platform name as Xcode writes it, for example `iphoneos`.
    init?(sdk name: String) {
        switch name {
        case "iphoneos", "iphonesimulator": self = .ios
        case "appletvos", "appletvsimulator": self = .tvos
        case "watchos", "watchsimulator": self = .watchos
        case "xros", "xrsimulator": self = .visionos
        case "macosx": self = .macos
        default: self.init(rawValue: name)
        }
    }
}
