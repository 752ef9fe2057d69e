internal import ProxyCore

/// What a device has to have before its loads are judged, in order. Raw values are ids in the page and paths.
public enum Light: String, Sendable, CaseIterable {
    case reached, through, installed, trusted

    public var title: String {
        switch self {
        case .reached: "Reached"
        case .through: "Through the proxy"
        case .installed: "Certificate installed"
        case .trusted: "Fully trusted"
        }
    }

    /// What it means that it is on.
    public var meaning: String {
        switch self {
        case .reached: "This device can reach the gate."
        case .through: "Its web traffic comes by the gate."
        case .installed: "It has the gate's certificate."
        case .trusted: "It believes the gate: https loads can be judged."
        }
    }

    /// The gate knows by the request itself that it is on.
    func isOn(in request: OwnRequest) -> Bool {
        switch self {
        case .reached: true
        case .through: request.arrival != .direct
        // No page can see a certificate that is installed but not trusted: it is known by being trusted.
        case .installed, .trusted: request.arrival == .secure
        }
    }

    /// A recorded load shows that it was on.
    func isOn(in sight: DeviceSight) -> Bool {
        switch self {
        case .reached, .through: true
        case .installed, .trusted: sight.showsTrust
        }
    }

    /// A picture that only a device in this state can load; nil where the gate knows by itself.
    var probe: String? {
        switch self {
        case .reached: nil
        case .through: "http://\(OwnSite.name)/lights/\(rawValue).svg"
        case .installed, .trusted: "https://\(OwnSite.name)/lights/\(rawValue).svg"
        }
    }
}
