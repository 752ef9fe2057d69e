public import ATSPolicy

/// The releases that a declaration is read for.
public struct SystemRange: Sendable, Hashable {
    public let oldest: OSProfile
    /// nil for no end.
    private let end: OSProfile?
    /// Nobody said which systems are meant, so what only concerns old ones is told as a note.
    public let isAssumed: Bool

    /// - Returns: nil when `newest` is older than `oldest`.
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

    /// Reads `ios26`, `ios17..ios26` or `ios17..`.
    public init?(_ text: String) {
        let marks = text.ranges(of: "..")
        guard let mark = marks.first else {
            guard let only = OSProfile.named(text) else { return nil }
            self.init(only, to: only)
            return
        }
        guard marks.count == 1, let oldest = OSProfile.named(String(text[..<mark.lowerBound])) else { return nil }
        let rest = String(text[mark.upperBound...])
        guard !rest.isEmpty else {
            self.init(openFrom: oldest, isAssumed: false)
            return
        }
        guard let newest = OSProfile.named(rest) else { return nil }
        self.init(oldest, to: newest)
    }

    /// From the declaration's own `MinimumOSVersion` on; every release of its platform when it names none.
    ///
    /// - Parameter deployment: what to begin with then, where it is known otherwise.
    public init(of declaration: Declaration, deployment: OSProfile? = nil) {
        // A guess by the SDK's version says nothing about the oldest system.
        let hasMinimum = declaration.minimumOSVersion.flatMap { OSVersion($0) } != nil
        let guess = hasMinimum ? OSProfile.guess(declaration: declaration)?.profile : deployment
        let first = declaration.platform == .macos ? OSProfile.macOS10_11 : .iOS9
        self.init(openFrom: guess ?? first, isAssumed: guess == nil)
    }

    public var newest: OSProfile { end ?? (oldest.release.platform == .macos ? .macOS27 : .newest) }

    /// Whether a profile of the range is one for which `claim` holds.
    func has(_ claim: (OSProfile) -> Bool) -> Bool {
        let generations = oldest.release.generation...max(oldest.release.generation, newest.release.generation)
        let between = OSProfile.all.filter { generations.contains($0.release.generation) }
        return ([oldest, newest] + between).contains(where: claim)
    }

    /// Whether a system of the range does not know `keys`; it is the oldest one, if any.
    func lacks(_ keys: OSProfile.Keys) -> Bool { has { !$0.keys.contains(keys) } }

    /// Whether a system of the range knows `keys`.
    func knows(_ keys: OSProfile.Keys) -> Bool { has { $0.keys.contains(keys) } }

    /// `ios17..ios26`, `ios17..` or `ios26`.
    public var name: String {
        guard let end else { return oldest.name + ".." }
        return oldest == end ? oldest.name : oldest.name + ".." + end.name
    }
}
