/// What browsers and scripts may cost. Whoever goes beyond is cut off; the gate's own work never waits for them.
public struct WebLimits: Sendable {
    /// Connections at a time, streams of events included; more are closed at once.
    public var connections = 64
    /// Streams of events at a time.
    public var streams = 16
    /// Bytes of a request's head.
    public var headBytes = 16_384
    /// Fields of a request's head.
    public var fields = 64
    /// Bytes of a request's body. Nobody without a token gets to send one.
    public var bodyBytes = 2_097_152
    /// How long a connection may be without a request, and a request take to arrive.
    public var idle = Duration.seconds(20)
    /// How long a connection may be without its first request while half of the connections there may be are taken: who
    /// only sits there makes room for who asks.
    public var crowdedIdle = Duration.seconds(1)
    /// Answers that are made at a time, but for those that are there at once.
    public var answers = 3
    /// How long a connection with a shared store is kept that no answer needs.
    public var idleStore = Duration.seconds(60)
    /// How long an answer may take to be made.
    public var answer = Duration.seconds(60)
    /// How long a reader may take nothing of an answer.
    public var stall = Duration.seconds(20)
    /// How long the end may take, of the server and of a connection whose last answer was taken.
    public var end = Duration.seconds(2)

    public init() {}
}
