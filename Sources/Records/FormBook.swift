import ATSPolicy
import Text

/// Remembers the forms of records, because many loads share one: a chain of certificates costs more than all the rest.
struct FormBook: Sendable {
    private var forms: [Key: RecordForm] = [:]
    /// Each text once: every connection has cards of its own, which mostly say what others say.
    private var texts: Set<RecordForm> = []

    /// All that a form is made of. The cards are held, so that no other one can get their identity meanwhile.
    struct Key: Sendable {
        let client: ClientCard
        let policy: PolicyCard
        let origin: OriginCard?
        let recording: String
        let target: LoadTarget
        let wireProtocol: LoadCard.WireProtocol
        let verdict: Verdict
        let refusal: Refusal?
    }

    /// The form of `record`. Forgets all others once there are too many: cards of closed connections never come back.
    mutating func form(of record: LoadRecord) -> RecordForm {
        let key = Key(
            client: record.client, policy: record.policy, origin: record.origin, recording: record.recording,
            target: record.load.target, wireProtocol: record.load.wireProtocol, verdict: record.verdict,
            refusal: record.refusal)
        if let known = forms[key] { return known }
        if forms.count >= formLimit {
            forms.removeAll(keepingCapacity: true)
            texts.removeAll(keepingCapacity: true)
        }
        var writer = JSONWriter()
        writer.form(of: record)
        let form = texts.insert(RecordForm(text: writer.bytes)).memberAfterInsert
        forms[key] = form
        return form
    }
}

/// Cards are compared by identity. Those alone tell most forms apart, so the rest stays out of the hash.
extension FormBook.Key: Hashable {
    static func == (one: Self, other: Self) -> Bool {
        one.client === other.client && one.policy === other.policy && one.origin === other.origin
            && one.verdict == other.verdict && one.refusal == other.refusal && one.wireProtocol == other.wireProtocol
            && one.target == other.target && one.recording == other.recording
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(client))
        hasher.combine(ObjectIdentifier(policy))
        hasher.combine(origin.map(ObjectIdentifier.init))
    }
}

/// More than the connections of a busy gate. With two kilobytes for a long chain, two megabytes at most.
private let formLimit = 1024
