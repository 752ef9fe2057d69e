import Bytes

/// Who is not read from at the moment, and why. A side is read again when no reason is left.
struct FlowGate {
    /// Reasons not to read from the client.
    struct ClientHolds: OptionSet {
        let rawValue: UInt8
        /// The origin's outbox is full.
        static let originFull = ClientHolds(rawValue: 1)
        /// What came has nowhere to go yet: its origin is being dialed or judged.
        static let undecided = ClientHolds(rawValue: 2)
        /// It does not read the answers that it was given.
        static let unreadAnswers = ClientHolds(rawValue: 4)
    }

    /// Reasons not to read from an origin.
    struct OriginHolds: OptionSet {
        let rawValue: UInt8
        /// The client's outbox is full.
        static let clientFull = OriginHolds(rawValue: 1)
        /// The client's stream of HTTP/2 takes nothing.
        static let streamFull = OriginHolds(rawValue: 2)
        /// What came has nowhere to go yet: the client has not said what it speaks.
        static let undecided = OriginHolds(rawValue: 4)
    }

    private(set) var client: ClientHolds = []

    /// Returns whether reading has to stop.
    mutating func hold(_ reason: ClientHolds) -> Bool {
        defer { client.formUnion(reason) }
        return client.isEmpty
    }

    /// Returns whether reading may go on.
    mutating func release(_ reasons: ClientHolds) -> Bool {
        guard !client.isEmpty else { return false }
        client.subtract(reasons)
        return client.isEmpty
    }
}

extension FlowGate.ClientHolds {
    static let all: Self = [.originFull, .undecided, .unreadAnswers]
}

extension SessionContext {
    func holdClient(_ reason: FlowGate.ClientHolds) {
        if flow.hold(reason) { effect(.pauseClient) }
    }

    /// Reads no more from the client while too much of it waits until it is known what that is for.
    func boundInbox() {
        if client.inbox.count > highWaterBytes { holdClient(.undecided) }
    }

    func releaseClient(_ reasons: FlowGate.ClientHolds = .all) {
        if flow.release(reasons) { effect(.resumeClient) }
    }

    func hold(_ link: OriginLink, _ reason: FlowGate.OriginHolds) {
        if link.holds.isEmpty { effect(.pauseOrigin(link)) }
        link.holds.formUnion(reason)
    }

    func release(_ link: OriginLink, _ reasons: FlowGate.OriginHolds) {
        guard !link.holds.isEmpty else { return }
        link.holds.subtract(reasons)
        if link.holds.isEmpty { effect(.resumeOrigin(link)) }
    }

    /// Stops reading from an origin while too much waits for the client.
    func holdBack(_ link: OriginLink, waiting: Int) {
        if waiting > highWaterBytes { hold(link, .clientFull) }
    }

    /// Bytes that may wait in front of a slow reader before its writer is held back.
    var highWaterBytes: Int { loop.outboxes.highWater(usual: loop.policy.rules.limits.highWaterBytes) }
}
