public import ATSPolicy
public import Records

/// A load of which a log, or a gate that watched, tells what a device did with it: ready to be held against the law.
public struct DeviceLoad: Sendable {
    public let url: String
    public let target: LoadTarget
    public let loader: Loader
    /// The system to judge by.
    public let profile: OSProfile
    /// Somebody named the system, or the log tells it; else the newest is taken.
    public let isSystemTold: Bool
    public let device: RecordedDevice
    /// What a gate saw of the origin; nil where none met it.
    public private(set) var handshake: RecordedHandshake?
    /// When the origin was met, or else the load began, in seconds since 1970-01-01 UTC: certificates are held against
    /// that day.
    public private(set) var unixSeconds: Int64

    public init(
        url: String, target: LoadTarget, loader: Loader = .app, profile: OSProfile, isSystemTold: Bool,
        device: RecordedDevice, handshake: RecordedHandshake? = nil, unixSeconds: Int64
    ) {
        self.url = url
        self.target = target
        self.loader = loader
        self.profile = profile
        self.isSystemTold = isSystemTold
        self.device = device
        self.handshake = handshake
        self.unixSeconds = unixSeconds
    }

    /// The same with what a gate saw of the origin at another time.
    public func meeting(_ handshake: RecordedHandshake, at unixSeconds: Int64) -> DeviceLoad {
        var load = self
        load.handshake = handshake
        load.unixSeconds = unixSeconds
        return load
    }
}
