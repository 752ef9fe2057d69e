internal import ProxyCore

/// The conditions for judging a device's loads, in order. Raw values are ids in the page, and in paths.
public enum Light: String, Sendable, CaseIterable {
    case reached, through, installed, trusted, relaxed, apps

    public var title: String {
        switch self {
        case .reached: "Reached"
        case .through: "Through the proxy"
        case .installed: "Certificate installed"
        case .trusted: "Fully trusted"
        case .relaxed: "ATS off in the app"
        case .apps: "Loads of apps"
        }
    }

    /// The meaning of the light when it is on.
    public var meaning: String {
        switch self {
        case .reached: "This device can reach the gate."
        case .through: "Its web traffic goes through the gate."
        case .installed: "It has the gate's certificate."
        case .trusted: "It trusts the gate's certificate: https loads can be judged."
        case .relaxed:
            "The installed build has ATS off, so the gate decides. With ATS on, the app refuses loads itself."
        case .apps: "Loads of apps arrive, not only the system's own checks of the connection."
        }
    }

    /// True if the request itself proves the condition.
    func isOn(in request: OwnRequest) -> Bool {
        switch self {
        case .reached: true
        case .through: request.arrival != .direct
        // A page cannot detect a certificate that is installed but not trusted; trust proves both.
        case .installed, .trusted: request.arrival == .secure
        // A browser's request shows nothing about an app.
        case .relaxed, .apps: false
        }
    }

    /// True if a recorded load proves the condition.
    func isOn(in sight: DeviceFacts) -> Bool {
        switch self {
        case .reached, .through: true
        case .installed, .trusted: sight.showsTrust
        case .relaxed: sight.build == .relaxed
        case .apps: sight.purpose == .app
        }
    }

    /// A picture that loads only on a device in this state; nil if the gate needs none.
    var probe: String? {
        switch self {
        case .reached, .relaxed, .apps: nil
        case .through: "http://\(OwnSite.name)/lights/\(rawValue).svg"
        case .installed, .trusted: "https://\(OwnSite.name)/lights/\(rawValue).svg"
        }
    }
}
