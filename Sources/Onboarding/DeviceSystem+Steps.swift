/// The settings to tap, by system. Sources, with how certain each is: docs/setup.md#what-to-tap.
extension DeviceSystem {
    /// One task; it turns a light on.
    struct Step: Sendable {
        let title: String
        let taps: [String]
        /// The light that it turns on; nil for none.
        var light: Light?
        /// True if it begins with fetching the certificate.
        var fetches = false
    }

    /// - Parameters:
    ///   - host: the proxy's host, as this device reaches it.
    ///   - automatic: the address of the PAC file.
    func steps(host: String, port: Int, automatic: String) -> [Step] {
        [proxy(host, port, automatic), certificate, trust].compactMap(\.self)
    }

    private func proxy(_ host: String, _ port: Int, _ automatic: String) -> Step {
        let values = "Server \(host), port \(port), no authentication."
        let taps =
            switch self {
            case .iOS, .iPadOS, .visionOS:
                [
                    "Settings › Wi-Fi › the (i) next to the network › Configure Proxy › Manual.", values,
                    "Or Automatic, with the URL \(automatic).",
                    "Turn off VPN. Turn off iCloud Private Relay: Settings › your name › iCloud › Private Relay.",
                ]
            case .tvOS:
                [
                    "An Apple TV has no proxy setting: it gets one from a configuration profile with a "
                        + "Wi-Fi or global proxy payload, made with Apple Configurator.",
                    values,
                ]
            case .watchOS:
                [
                    "A watch has no proxy setting: it uses its iPhone's while it is connected through it.",
                    "Set up the iPhone, keep it near, and turn Wi-Fi off on the watch.",
                ]
            case .macOS:
                [
                    "System Settings › Network › the service › Details › Proxies.",
                    "Web proxy (HTTP) and Secure web proxy (HTTPS): \(values)",
                    "Or on the Mac where atsgate runs: atsgate setup mac.",
                ]
            case .android:
                ["Settings › Network & internet › Internet › the network › Edit › Proxy › Manual.", values]
            case .other:
                ["Set this proxy for HTTP and HTTPS: \(values)", "Or automatic configuration: \(automatic)."]
            }
        return Step(title: "Send its traffic here", taps: taps, light: .through)
    }

    private var certificate: Step? {
        let taps =
            switch self {
            case .iOS:
                [
                    "Open it in Safari and allow the profile to be downloaded.",
                    "Settings › Profile Downloaded › Install. Compare the fingerprint below under More Details.",
                ]
            case .iPadOS, .visionOS:
                [
                    "Open it in Safari and allow the profile to be downloaded.",
                    "Settings › General › VPN & Device Management › the profile › Install.",
                ]
            case .tvOS:
                [
                    "Settings › General › Privacy & Security, move to Share Apple TV Analytics and press Play/Pause.",
                    "Add Profile, and enter the address of the profile below.",
                ]
            case .watchOS:
                ["Open the profile on the iPhone, choose Apple Watch when asked, and install it on the watch."]
            case .macOS:
                [
                    "Open it, then System Settings › General › Device Management › the profile › Install."
                ]
            case .android:
                [
                    "Settings › Security › Encryption & credentials › Install a certificate › CA certificate.",
                    "Apps trust it only if their network security configuration allows that.",
                ]
            case .other: ["Add it to the trusted certificate authorities of your system, browser or tool."]
            }
        return Step(title: "Install the certificate", taps: taps, light: .installed, fetches: true)
    }

    private var trust: Step? {
        let taps: [String]
        switch self {
        case .iOS, .iPadOS, .visionOS:
            taps = ["Settings › General › About › Certificate Trust Settings › turn it on. Installing is not enough."]
        case .tvOS:
            taps = ["Settings › General › About › Certificate Trust Settings › turn it on."]
        case .macOS:
            taps = ["Keychain Access › System › the certificate › Trust › When using this certificate: Always Trust."]
        case .watchOS, .android, .other: return nil
        }
        return Step(title: "Trust it fully", taps: taps, light: .trusted)
    }

    /// The steps that undo everything.
    var removal: [String] {
        switch self {
        case .iOS, .iPadOS, .visionOS:
            [
                "Settings › Wi-Fi › (i) › Configure Proxy › Off.",
                "Settings › General › VPN & Device Management › the profile › Remove Profile.",
            ]
        case .tvOS: ["Settings › General › Profiles › each profile › Remove Profile."]
        case .watchOS: ["Watch app on the iPhone › General › Profiles › the profile › Remove. Then the iPhone itself."]
        case .macOS:
            [
                "System Settings › Network › the service › Details › Proxies: both off; or atsgate setup mac --undo.",
                "System Settings › General › Device Management › the profile › Remove.",
            ]
        case .android:
            [
                "Settings › Network › Internet › the network › Edit › Proxy › None.",
                "Settings › Security › Encryption & credentials › User credentials › the certificate › Remove.",
            ]
        case .other: ["Remove the proxy from your settings, and the certificate from the trusted ones."]
        }
    }
}
