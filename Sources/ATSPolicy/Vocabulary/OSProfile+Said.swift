extension OSProfile {
    /// The system that a client names in its User-Agent, where this one, by which it is judged, has another law.
    ///
    /// - Returns: nil where the agent tells nothing, or the same; also where every later system sends that agent.
    public func contradiction(by userAgent: String) -> OSProfile? {
        guard let guess = OSProfile.guess(userAgent: userAgent), !guess.isLowerBound else { return nil }
        return isLike(guess.profile) ? nil : guess.profile
    }

    /// The two are of one year and apply the same law; a kernel does not tell an iPhone from a Mac.
    private func isLike(_ other: OSProfile) -> Bool {
        release.generation.major == other.release.generation.major && engine == other.engine
            && localRule == other.localRule && keys == other.keys && tlsFloor == other.tlsFloor
            && newestTLS == other.newestTLS && atsSuites == other.atsSuites && staticRSASuites == other.staticRSASuites
            && countsOddBooleansAsFalse == other.countsOddBooleansAsFalse
            && hasBuiltInExceptions == other.hasBuiltInExceptions
    }
}
