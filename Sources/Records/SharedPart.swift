import ATSPolicy

/// All that the form of a record is made of. The cards are held, so that no other one can get their identity meanwhile.
public struct SharedPart: Sendable {
    let client: ClientCard
    let policy: PolicyCard
    let origin: OriginCard?
    let recording: String
    let target: LoadTarget
    let wireProtocol: LoadCard.WireProtocol
    let verdict: Verdict
    let refusal: Refusal?
    let shown: Shown?

    init(of record: LoadRecord) {
        client = record.client
        policy = record.policy
        origin = record.origin
        recording = record.recording
        target = record.load.target
        wireProtocol = record.load.wireProtocol
        verdict = record.verdict
        refusal = record.refusal
        shown = record.shown
    }
}

extension SharedPart {
    /// nil where nothing was seen of a handshake.
    var handshake: RecordedHandshake? {
        guard let handshake = origin?.handshake, !handshake.isEmpty else { return nil }
        return handshake
    }
}

/// Cards are compared by identity. Those alone tell most forms apart, so the rest stays out of the hash.
extension SharedPart: Hashable {
    public static func == (one: Self, other: Self) -> Bool {
        one.client === other.client && one.policy === other.policy && one.origin === other.origin
            && one.verdict == other.verdict && one.refusal == other.refusal && one.wireProtocol == other.wireProtocol
            && one.target == other.target && one.shown == other.shown && one.recording == other.recording
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(client))
        hasher.combine(ObjectIdentifier(policy))
        hasher.combine(origin.map(ObjectIdentifier.init))
    }
}

/// The same, with the cards of connections compared by what they say. One of a policy is only itself: loads share it.
struct EqualPart: Hashable {
    let part: SharedPart

    static func == (one: Self, other: Self) -> Bool {
        let (one, other) = (one.part, other.part)
        return one.policy === other.policy && one.verdict == other.verdict && one.refusal == other.refusal
            && one.wireProtocol == other.wireProtocol && one.target == other.target && one.shown == other.shown
            && one.recording == other.recording && one.origin == other.origin
            && one.client.isAlike(other.client)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(part.policy))
        hasher.combine(part.target.host)
        hasher.combine(part.client.userAgent)
        hasher.combine(part.verdict)
    }
}

extension ClientCard {
    /// Whether a form tells the same of both: the address is each load's own.
    fileprivate func isAlike(_ other: ClientCard) -> Bool {
        self === other
            || label == other.label && userAgent == other.userAgent && loader == other.loader && os == other.os
                && osEvidence == other.osEvidence && osNotes == other.osNotes
    }
}
