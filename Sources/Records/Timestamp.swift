/// One instant on both clocks, for targets that read no clock.
public struct Timestamp: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 UTC.
    public var wall: Int64
    /// Microseconds on a clock that never steps.
    public var ticks: Int64

    public init(wall: Int64, ticks: Int64) {
        self.wall = wall
        self.ticks = ticks
    }

    /// Seconds since 1970-01-01 UTC, as in certificates.
    public var unixSeconds: Int64 { wall / 1_000 }
}
