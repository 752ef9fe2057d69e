/// Body bytes that went into frames and were not yet reported to their stream's handler, the oldest first.
struct DrainedBytes {
    struct Piece {
        let stream: HTTP2Stream
        var count: Int
    }

    private var pieces: [Piece] = []

    mutating func note(_ count: Int, from stream: HTTP2Stream) {
        if let last = pieces.last, last.stream === stream { return pieces[pieces.count - 1].count += count }
        pieces.append(Piece(stream: stream, count: count))
    }

    mutating func takeFirst() -> Piece? { pieces.isEmpty ? nil : pieces.removeFirst() }

    mutating func forget() { pieces = [] }
}
