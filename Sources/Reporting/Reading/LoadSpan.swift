/// When loads began: the first, the last, and the number in each of several slices of equal length between them.
///
/// Slices begin at whole multiples of their length since 1970-01-01 UTC, and double in length whenever there are too
/// many. So the spans of any groups can be merged without loss.
public struct LoadSpan: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 UTC.
    public private(set) var first: Int64
    public private(set) var last: Int64
    /// Milliseconds.
    public private(set) var slice = shortestSlice
    /// Loads by the number of their slice since 1970.
    public private(set) var counts: [Int64: Int] = [:]

    /// A span at `time` without loads.
    package init(_ time: Int64) {
        first = time
        last = time
    }

    /// - Parameters:
    ///   - early: when the first of `loads` began.
    ///   - late: when the last of them did, in the same slice.
    package mutating func add(_ loads: Int, between early: Int64, and late: Int64) {
        first = min(first, early)
        last = max(last, late)
        counts[Self.place(of: early, slice), default: 0] += loads
        if counts.count > mostSlices { widen(to: slice * 2) }
    }

    mutating func add(_ other: LoadSpan) {
        first = min(first, other.first)
        last = max(last, other.last)
        widen(to: other.slice)
        for (place, loads) in other.counts { counts[Self.place(of: place, slice / other.slice), default: 0] += loads }
        if counts.count > mostSlices { widen(to: slice * 2) }
    }

    /// Doubles the length of slices until it is at least `wanted`.
    package mutating func widen(to wanted: Int64) {
        var length = slice
        while length < wanted { length *= 2 }
        guard length > slice else { return }
        var wider: [Int64: Int] = [:]
        for (place, loads) in counts { wider[Self.place(of: place, length / slice), default: 0] += loads }
        (slice, counts) = (length, wider)
    }

    /// The number of a slice; times before 1970 belong to negative ones.
    static func place(of time: Int64, _ slice: Int64) -> Int64 {
        time >= 0 ? time / slice : (time + 1) / slice - 1
    }
}

private let shortestSlice: Int64 = 125
private let mostSlices = 256
