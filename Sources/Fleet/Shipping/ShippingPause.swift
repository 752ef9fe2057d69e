/// The pause before the next attempt to reach a server. It grows each time and is random, so that gates that lost the
/// same server do not all reconnect at the same moment.
public struct ShippingPause {
    private var next = shortest

    public init() {}

    /// Returns the next pause.
    public mutating func take() -> Duration {
        defer { next = min(next * 2, longest) }
        return next * Double.random(in: 0.75...1.25)
    }

    /// Starts again with the shortest pause, after the server has answered.
    public mutating func reset() { next = shortest }
}

private let shortest = Duration.milliseconds(250)
private let longest = Duration.seconds(15)
