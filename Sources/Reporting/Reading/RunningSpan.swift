/// A ``LoadSpan`` for loads that mostly began in order: counts the loads of the current slice before it adds them.
struct RunningSpan {
    private var span: LoadSpan
    /// The loads that `span` lacks; all within one slice.
    private var early: Int64
    private var late: Int64
    private var loads = 0
    /// When that slice begins and ends.
    private var begin: Int64 = 0
    private var end: Int64 = 0

    /// A span at `time` without loads: ``add(_:)`` counts them.
    init(_ time: Int64) {
        span = LoadSpan(time)
        (early, late) = (time, time)
    }

    mutating func add(_ time: Int64) {
        if time < begin || time >= end {
            settle()
            let place = LoadSpan.place(of: time, span.slice)
            begin = place.clampedTimes(span.slice)
            end = (place + 1).clampedTimes(span.slice)
            (early, late) = (time, time)
        }
        loads += 1
        early = min(early, time)
        late = max(late, time)
    }

    /// The span with all loads that were added.
    var whole: LoadSpan {
        var span = self
        span.settle()
        return span.span
    }

    private mutating func settle() {
        guard loads > 0 else { return }
        span.add(loads, between: early, and: late)
        loads = 0
    }
}

extension Int64 {
    /// The product, clamped to the range of numbers.
    fileprivate func clampedTimes(_ other: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        guard isBeyond else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }
}
