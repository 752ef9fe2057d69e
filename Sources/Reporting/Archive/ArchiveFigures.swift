/// The state of an archive at one moment.
public struct ArchiveFigures: Sendable, Hashable {
    /// Records that some sink has not stored yet, and their approximate size.
    public var waitingRows = 0
    public var waitingBytes = 0
    /// True if new loads wait until there is room.
    public var isFull = false
    /// Records that sinks lost, by kind of sink.
    public var lost: [SinkKind: Int] = [:]

    public init() {}
}

/// The state of all sinks, as the dispatcher last saw it.
struct SinkFigures: Sendable {
    /// The backlog of the sink with the longest one.
    var backlogRows = 0
    var backlogBytes = 0
    var lost: [SinkKind: Int] = [:]
}
