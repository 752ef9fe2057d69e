extension OSProfile {
    /// Returns the release in a client's User-Agent if its rules differ from those of this release, by which the client
    /// is judged.
    ///
    /// - Returns: nil if the User-Agent identifies no release, or one with the same rules, or is also sent by every
    ///   later release.
    public func differingProfile(in userAgent: String) -> OSProfile? {
        guard let guess = OSProfile.guess(userAgent: userAgent), !guess.isLowerBound else { return nil }
        return isLike(guess.profile) ? nil : guess.profile
    }

    /// True if both have the same major version and the same rules. A kernel version does not distinguish an iPhone
    /// from a Mac.
    private func isLike(_ other: OSProfile) -> Bool {
        release.generation.major == other.release.generation.major && engine == other.engine
            && localRule == other.localRule && keys == other.keys && tlsFloor == other.tlsFloor
            && newestTLS == other.newestTLS && Set(systemSuites) == Set(other.systemSuites)
            && Set(atsSuites) == Set(other.atsSuites) && staticRSASuites == other.staticRSASuites
            && countsOddBooleansAsFalse == other.countsOddBooleansAsFalse
            && hasBuiltInExceptions == other.hasBuiltInExceptions
    }
}
