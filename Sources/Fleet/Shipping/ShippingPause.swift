/// How long to wait before a server is asked again: longer each time, and never the same, so that gates which lost one
/// server do not all come back at once.
public struct ShippingPause {
    private var next = shortest

    public init() {}

    /// In place of the one that was waited for last.
    public mutating func take() -> Duration {
        defer { next = min(next * 2, longest) }
        return next * Double.random(in: 0.75...1.25)
    }

    /// The server has answered.
    public mutating func reset() { next = shortest }
}

private let shortest = Duration.milliseconds(250)
private let longest = Duration.seconds(15)
