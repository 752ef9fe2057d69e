public import ATSPolicy

/// The releases that a dictionary is checked for.
public struct SystemRange: Sendable, Hashable {
    public let oldest: OSProfile
    /// nil for no end.
    private let end: OSProfile?
    /// True if no release was named; findings that concern only old releases are then notes or omitted.
    public let isAssumed: Bool

    /// - Returns: nil if `newest` is older than `oldest`.
    public init?(_ oldest: OSProfile, to newest: OSProfile) {
        guard oldest.release.generation <= newest.release.generation else { return nil }
        self.oldest = oldest
        end = newest
        isAssumed = false
    }

    private init(openFrom oldest: OSProfile, isAssumed: Bool) {
        self.oldest = oldest
        end = nil
        self.isAssumed = isAssumed
    }

    /// Reads `ios26`, `iOS 26`, `ios17..ios26` or `ios17..`.
    public init?(_ text: String) {
        let marks = text.ranges(of: "..")
        guard let mark = marks.first else {
            guard let only = OSProfile.titled(text) else { return nil }
            self.init(only, to: only)
            return
        }
        guard marks.count == 1, let oldest = OSProfile.titled(String(text[..<mark.lowerBound])) else { return nil }
        let rest = String(text[mark.upperBound...])
        guard !rest.isEmpty else {
            self.init(openFrom: oldest, isAssumed: false)
            return
        }
        guard let newest = OSProfile.titled(rest) else { return nil }
        self.init(oldest, to: newest)
    }

    /// The range from the dictionary's own `MinimumOSVersion`; every release of its platform if it names none.
    ///
    /// - Parameter deployment: the oldest release to use if the dictionary names none.
    public init(of declaration: Declaration, deployment: OSProfile? = nil) {
        // A guess from the SDK version does not show the oldest release, so it is not used.
        let hasMinimum = declaration.minimumOSVersion.flatMap { OSVersion($0) } != nil
        let guess = hasMinimum ? OSProfile.guess(declaration: declaration)?.profile : deployment
        let first = declaration.platform == .macos ? OSProfile.macOS10_11 : .iOS9
        self.init(openFrom: guess ?? first, isAssumed: guess == nil)
    }

    public var newest: OSProfile { end ?? (oldest.release.platform == .macos ? .macOS27 : .newest) }

    /// The releases of the range that differ, oldest first: those of macOS for a range of macOS, otherwise those of iOS
    /// between both ends.
    public var releases: [OSProfile] {
        let isMac = oldest.release.platform == .macos
        let between = OSProfile.all.filter {
            ($0.release.platform == .macos) == isMac && $0.release.generation > oldest.release.generation
                && $0.release.generation < newest.release.generation
        }
        return [oldest] + between + (newest == oldest ? [] : [newest])
    }

    /// True if `claim` holds for a release of the range.
    func has(_ claim: (OSProfile) -> Bool) -> Bool { releases.contains(where: claim) }

    /// True if a release of the range does not know `keys`; it is the oldest one, if any.
    func lacks(_ keys: OSProfile.Keys) -> Bool { has { !$0.keys.contains(keys) } }

    /// True if a release of the range knows `keys`.
    func knows(_ keys: OSProfile.Keys) -> Bool { has { $0.keys.contains(keys) } }

    /// `ios17..ios26`, `ios17..` or `ios26`.
    public var name: String {
        guard let end else { return oldest.name + ".." }
        return oldest == end ? oldest.name : oldest.name + ".." + end.name
    }
}
