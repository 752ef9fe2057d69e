/// Numbers on which the sources disagree; the defaults follow most of the logs that were found.
public struct AppleReadings: Sendable, Hashable {
    /// From this release on alert 40 shows as -9858, before it as -9824. 11 is unclear (C14 `[O]`).
    public var handshakeFailureSince: OSVersion
    /// From this release on a self-signed leaf shows as -9813 where ATS does not insist, before it as -9807 (C15
    /// `[O]`).
    public var missingRootSince: OSVersion

    public init(
        handshakeFailureSince: OSVersion = OSVersion(12), missingRootSince: OSVersion = OSVersion(15)
    ) {
        self.handshakeFailureSince = handshakeFailureSince
        self.missingRootSince = missingRootSince
    }
}
