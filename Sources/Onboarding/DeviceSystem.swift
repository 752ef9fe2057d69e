/// The kind of a device, which decides how to set it up.
public enum DeviceSystem: String, Sendable, CaseIterable {
    case iOS = "ios", iPadOS = "ipados", tvOS = "tvos", visionOS = "visionos", watchOS = "watchos", macOS = "macos"
    case android, other

    /// Reads the User-Agent of a browser. A browser on an iPad or a headset may claim to be on a Mac, so the page
    /// also offers the other systems.
    ///
    /// Source: WebKit, Source/WebCore/platform/ios/UserAgentIOS.mm ("desktop-class browsing"), read 2026-11-22.
    public init(userAgent: String?) {
        let agent = userAgent ?? ""
        let signs: [(String, DeviceSystem)] = [
            ("iPad", .iPadOS), ("iPhone", .iOS), ("iPod", .iOS), ("AppleTV", .tvOS), ("Apple TV", .tvOS),
            ("Apple Watch", .watchOS), ("Watch OS", .watchOS), ("visionOS", .visionOS), ("Vision Pro", .visionOS),
            ("Android", .android), ("Macintosh", .macOS),
        ]
        self = signs.first { agent.contains($0.0) }?.1 ?? .other
    }

    /// The name of the system.
    var title: String {
        switch self {
        case .iOS: "iPhone"
        case .iPadOS: "iPad"
        case .tvOS: "Apple TV"
        case .visionOS: "Apple Vision"
        case .watchOS: "Apple Watch"
        case .macOS: "Mac"
        case .android: "Android"
        case .other: "something else"
        }
    }

    /// The heading of its page.
    var heading: String {
        switch self {
        case .iOS, .iPadOS, .tvOS, .visionOS, .watchOS, .macOS: "Set up this \(title)"
        case .android: "Set up this Android device"
        case .other: "Set up a device"
        }
    }

    /// The file to fetch first.
    var file: OnboardingFile {
        switch self {
        case .iOS, .iPadOS, .tvOS, .visionOS, .watchOS, .macOS: .profile
        case .android: .der
        case .other: .pem
        }
    }
}
