extension AppleRoots {
    /// Returns a profile with these trust stores instead of the published ones.
    public func replacing(in profile: OSProfile) -> OSProfile {
        var changed = profile
        changed.roots = self
        return changed
    }
}

extension OSRelease {
    /// True if a store can be newer than the release, because it arrived over the air: iOS 18, macOS 15, visionOS 2 and
    /// later. Source: Security 61439.1.1, OTATrustUtilities.m, which reads a store from an asset (source);
    /// docs/law/trust.md#roots-by-release.
    var getsRootsOverTheAir: Bool { generation >= OSVersion(18) }
}

extension AppleRoot {
    /// The end of a sentence on a root that the gate's machine lacks; nil if the release lacks it, too.
    func hint(on profile: OSProfile) -> String? {
        guard membership(on: profile.release) == .present else { return nil }
        let system = profile.release.platform == .macos ? profile.release.platform : .ios
        return ". A root of that name is in Apple's store \(words(on: system)): get it from the CA and add it with "
            + "--roots FILE"
    }
}
