import ATSPolicy

/// All that the form of a record is made of. Its parts are held, so that no other can get their identity meanwhile.
public struct SharedPart: Sendable {
    let client: RecordedClient
    let policy: RecordedPolicy
    let origin: RecordedOrigin?
    let recording: String
    let source: RecordSource
    let target: LoadTarget
    let wireProtocol: RecordedRequest.WireProtocol
    let verdict: Verdict
    let refusal: Refusal?
    let shown: ShownError?

    init(of record: LoadRecord) {
        client = record.client
        policy = record.policy
        origin = record.origin
        recording = record.recording
        source = record.source
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

/// Cards are compared by identity, and `record` is looked at where it is: making a part of it costs more than that.
extension SharedPart {
    @inline(__always)
    func isShared(by record: UnsafePointer<LoadRecord>) -> Bool {
        client === record.pointee.client && policy === record.pointee.policy && origin === record.pointee.origin
            && verdict == record.pointee.verdict && refusal == record.pointee.refusal
            && wireProtocol == record.pointee.load.wireProtocol
            && target == record.pointee.load.target && shown == record.pointee.shown
            && recording == record.pointee.recording && source == record.pointee.source
    }

    /// Tells most parts apart: addresses of the parts, stirred.
    static func mark(of record: UnsafePointer<LoadRecord>) -> Int {
        var mark = UInt(bitPattern: ObjectIdentifier(record.pointee.client))
        mark = mark &* 31 &+ UInt(bitPattern: ObjectIdentifier(record.pointee.policy))
        mark = mark &* 31 &+ (record.pointee.origin.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0)
        return Int((mark &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }
}

/// A part, with those of connections compared by what they say. One of a policy is only itself: loads share it.
struct EqualPart: Hashable {
    let part: SharedPart

    static func == (one: Self, other: Self) -> Bool {
        let (one, other) = (one.part, other.part)
        return one.policy === other.policy && one.verdict == other.verdict && one.refusal == other.refusal
            && one.wireProtocol == other.wireProtocol && one.target == other.target && one.shown == other.shown
            && one.recording == other.recording && one.source == other.source && one.origin == other.origin
            && one.client.isAlike(other.client)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(part.policy))
        hasher.combine(part.target.host)
        hasher.combine(part.client.userAgent)
        hasher.combine(part.verdict)
    }
}

extension RecordedClient {
    /// Whether a form tells the same of both: the address is each load's own.
    fileprivate func isAlike(_ other: RecordedClient) -> Bool {
        self === other
            || label == other.label && userAgent == other.userAgent && loader == other.loader
                && assumed == other.assumed && os == other.os
                && osEvidence == other.osEvidence && osNotes == other.osNotes
    }
}
