import Text

/// Who asks, as far as a User-Agent tells; an app may set its own. Source: matomo-org/device-detector, ua-parser/uap-core,
/// foroco/php-browser-detection, their public test fixtures; docs/law/loaders.md#user-agent.
public struct ClientReading: Sendable, Hashable {
    /// What its loads are judged as.
    public let loader: Loader
    /// The program that stands in for that loader; nil where the agent is one that the loader itself sends.
    public let program: ClientProgram?
    /// ATS does not govern the program on a device.
    public let isOutside: Bool

    private init(_ loader: Loader, _ program: ClientProgram? = nil, isOutside: Bool = false) {
        self.loader = loader
        self.program = program
        self.isOutside = isOutside
    }

    /// - Parameter isCommand: the client was started by a command under test, so that a library with TLS of its own
    ///   stands in for the app (docs/law/loaders.md#outside).
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

    /// A web view of an app names neither Version nor a browser. WebKit's browsers are none of the app's business; one
    /// with an engine of its own is a computer's, and stands in for the app's web view.
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

    /// The same with its loads judged all the same: as those of the app, or of the web view that it stands in for.
    public var judged: ClientReading { ClientReading(loader, program) }

    /// What somebody says that every client is, whatever its agent says.
    public static func assumed(_ loader: Loader) -> ClientReading { ClientReading(loader) }
}

/// What becomes of the loads of clients that ATS does not govern on a device.
public enum OutsideClients: String, Sendable, Hashable, CaseIterable {
    /// Nothing of ATS is asked of them, and they are recorded as outside.
    case pass
    /// They are judged as loads of the app.
    case judge
}
