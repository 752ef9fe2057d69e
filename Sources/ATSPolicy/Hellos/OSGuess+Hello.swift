/// The release that a hello proves, for `--os auto`.
extension OSGuess {
    /// Returns the release closest to the client's that can have sent the hello.
    ///
    /// - Parameters:
    ///   - profile: the release by the User-Agent, or the usual one.
    ///   - earlier: the guess that named it; nil for none.
    /// - Returns: nil if `profile` sends such a hello, or if the hello shows no release.
    public init?(_ hello: HelloReading, against profile: OSProfile, _ earlier: OSGuess?) {
        guard hello.showsATS || hello.kind == .unknown else { return nil }
        let release = profile.release
        let evidence: String
        let bound: OSVersion
        if let first = hello.first, release.generation < first {
            (bound, evidence) = (first, "a hello of iOS \(first) or later")
        } else if let last = hello.last, release.generation > last, !last.isSameMinor(as: release.generation) {
            (bound, evidence) = (last, "a hello of iOS \(last) or earlier")
        } else {
            return nil
        }
        guard let found = OSRelease.closest(to: bound, on: release.platform) else { return nil }
        let contradicted =
            earlier.map {
                "Its User-Agent shows \($0.evidence), but that release sends another hello (docs/law/hellos.md#release)."
            }
            ?? "No User-Agent shows its release (docs/law/hellos.md#release)."
        self.init(profile: OSProfile(found), evidence: evidence, notes: [contradicted])
    }
}

extension OSVersion {
    fileprivate func isSameMinor(as other: OSVersion) -> Bool { major == other.major && minor == other.minor }
}

extension OSRelease {
    /// The release of a platform whose generation is closest to an iOS version, and the first of several.
    fileprivate static func closest(to generation: OSVersion, on platform: Platform) -> OSRelease? {
        let majors = platform == .macos ? Array(11...15) + Array(26...27) : Array(1...27)
        var numbers = majors.flatMap { major in (0...9).map { OSVersion(major, $0) } }
        if platform == .macos {
            numbers = (11...15).flatMap { minor in (0...6).map { OSVersion(10, minor, $0) } } + numbers
        }
        let releases = numbers.compactMap { OSRelease(platform, $0) }
        // The releases of 12.2 and 15.3 are bounds from both sides, so an exact match exists on most platforms.
        return releases.first { $0.generation == generation } ?? releases.first { $0.generation > generation }
            ?? releases.last
    }
}
