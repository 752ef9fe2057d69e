import Text

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
