/// Open streams in no particular order; each knows its index.
struct StreamList {
    private(set) var all: [HTTP2Stream] = []

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }
    var last: HTTP2Stream? { all.last }

    mutating func keep(_ stream: HTTP2Stream) {
        stream.slot = all.count
        all.append(stream)
    }

    /// - Returns: true if it was in the list.
    mutating func remove(_ stream: HTTP2Stream) -> Bool {
        guard all.indices.contains(stream.slot), all[stream.slot] === stream else { return false }
        let last = all.removeLast()
        if last !== stream {
            all[stream.slot] = last
            last.slot = stream.slot
        }
        return true
    }

    mutating func takeAll() -> [HTTP2Stream] {
        defer { all = [] }
        return all
    }
}
