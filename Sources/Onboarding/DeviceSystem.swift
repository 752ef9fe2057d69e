/// What a device runs, as far as it makes a difference to setting it up.
public enum DeviceSystem: String, Sendable, CaseIterable {
    case iOS = "ios", iPadOS = "ipados", tvOS = "tvos", visionOS = "visionos", watchOS = "watchos", macOS = "macos"
    case android, other

    /// By what a browser says of itself. A browser on an iPad and on a headset may say that it is on a Mac, so the page
    /// offers the others.
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

    /// As a heading calls it.
    var heading: String {
        switch self {
        case .iOS, .iPadOS, .tvOS, .visionOS, .watchOS, .macOS: "Set up this \(title)"
        case .android: "Set up this Android device"
        case .other: "Set up a device"
        }
    }

    /// The file to begin with.
    var file: OnboardingFile {
        switch self {
        case .iOS, .iPadOS, .tvOS, .visionOS, .watchOS, .macOS: .profile
        case .android: .der
        case .other: .pem
        }
    }
}
