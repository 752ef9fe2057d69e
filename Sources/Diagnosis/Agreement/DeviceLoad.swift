public import ATSPolicy
public import Records

/// A load whose result on a device is known from a log or from a gate that watched, ready to be compared.
public struct DeviceLoad: Sendable {
    public let url: String
    public let target: LoadTarget
    public let loader: Loader
    /// The release to judge by.
    public let profile: OSProfile
    /// True if the user or the log names the release; otherwise the newest is used.
    public let isReleaseKnown: Bool
    public let device: RecordedDevice
    /// The handshake that a gate recorded with the origin; nil if none did.
    public private(set) var handshake: RecordedHandshake?
    /// The time when the gate contacted the origin, else the start of the load, in seconds since 1970-01-01 UTC.
    /// Certificates are validated for that day.
    public private(set) var unixSeconds: Int64

    public init(
        url: String, target: LoadTarget, loader: Loader = .app, profile: OSProfile, isReleaseKnown: Bool,
        device: RecordedDevice, handshake: RecordedHandshake? = nil, unixSeconds: Int64
    ) {
        self.url = url
        self.target = target
        self.loader = loader
        self.profile = profile
        self.isReleaseKnown = isReleaseKnown
        self.device = device
        self.handshake = handshake
        self.unixSeconds = unixSeconds
    }

    /// The load with a handshake that a gate recorded at another time.
    public func meeting(_ handshake: RecordedHandshake, at unixSeconds: Int64) -> DeviceLoad {
        var load = self
        load.handshake = handshake
        load.unixSeconds = unixSeconds
        return load
    }
}
