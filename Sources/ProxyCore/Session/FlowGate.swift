import Bytes

/// The sides whose reading is paused, with the reasons. Reading resumes when a side has no reason left.
struct FlowGate {
    /// Reasons not to read from the client.
    struct ClientHolds: OptionSet {
        let rawValue: UInt8
        /// The origin's outbox is full.
        static let originFull = ClientHolds(rawValue: 1)
        /// Its data has no destination yet: the origin is being dialed or judged.
        static let undecided = ClientHolds(rawValue: 2)
        /// It does not read the responses that were sent to it.
        static let unreadAnswers = ClientHolds(rawValue: 4)
    }

    /// Reasons not to read from an origin.
    struct OriginHolds: OptionSet {
        let rawValue: UInt8
        /// The client's outbox is full.
        static let clientFull = OriginHolds(rawValue: 1)
        /// The client's HTTP/2 stream accepts no more data.
        static let streamFull = OriginHolds(rawValue: 2)
        /// The data has no destination yet: the client's protocol is unknown.
        static let undecided = OriginHolds(rawValue: 4)
    }

    private(set) var client: ClientHolds = []

    /// Adds a reason. Returns true if reading must stop now.
    mutating func hold(_ reason: ClientHolds) -> Bool {
        defer { client.formUnion(reason) }
        return client.isEmpty
    }

    /// Removes reasons. Returns true if reading may resume now.
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

    /// Pauses the client if too much of its data waits for a destination.
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

    /// Pauses an origin if too much of its data waits for the client.
    func holdBack(_ link: OriginLink, waiting: Int) {
        if waiting > highWaterBytes { hold(link, .clientFull) }
    }

    /// The bytes that may wait for a slow reader before its writer is paused.
    var highWaterBytes: Int { loop.outboxes.highWater(usual: loop.policy.rules.limits.highWaterBytes) }
}
