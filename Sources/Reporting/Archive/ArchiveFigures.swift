/// How an archive fares at one moment.
public struct ArchiveFigures: Sendable, Hashable {
    /// Records that some sink has not taken yet, and what they hold, about.
    public var waitingRows = 0
    public var waitingBytes = 0
    /// New loads wait until there is room.
    public var isFull = false
    /// Records that sinks gave up, by what they are.
    public var lost: [SinkKind: Int] = [:]

    public init() {}
}

/// What became of the records in all sinks, as their dispatcher saw it last.
struct SinkFigures: Sendable {
    /// Of the sink that keeps most of them back.
    var backlogRows = 0
    var backlogBytes = 0
    var lost: [SinkKind: Int] = [:]
}
