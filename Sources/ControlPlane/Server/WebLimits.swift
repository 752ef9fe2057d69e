/// Limits for browsers and scripts. Clients that exceed them are cut off, so that the gate's own work never waits for
/// them.
public struct WebLimits: Sendable {
    /// Concurrent connections, event streams included; more are closed immediately.
    public var connections = 64
    /// Concurrent event streams.
    public var streams = 16
    /// Bytes of a request's head.
    public var headBytes = 16_384
    /// Fields of a request's head.
    public var fields = 64
    /// Bytes of a request's body. Only clients with the token may send one.
    public var bodyBytes = 2_097_152
    /// The time that a connection may be idle, and that a request may take to arrive.
    public var idle = Duration.seconds(20)
    /// The time that a connection may be without its first request while at least half of ``connections`` are in use.
    /// Idle connections make room for active ones.
    public var crowdedIdle = Duration.seconds(1)
    /// Answers that are made at the same time, not counting quick ones.
    public var answers = 3
    /// The time that an unused connection to a shared store stays open.
    public var idleStore = Duration.seconds(60)
    /// The time that making an answer may take.
    public var answer = Duration.seconds(60)
    /// The time that a client may stop reading an answer.
    public var stall = Duration.seconds(20)
    /// The time that shutting down may take, for the server and for a connection after its last answer.
    public var end = Duration.seconds(2)

    public init() {}
}
