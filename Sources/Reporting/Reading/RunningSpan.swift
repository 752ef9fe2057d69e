/// A ``LoadSpan`` of loads that mostly began one after the other: those of a slice are counted before they are put into
/// it.
struct RunningSpan {
    private var span: LoadSpan
    /// Of the loads that `span` lacks; all within one slice.
    private var early: Int64
    private var late: Int64
    private var loads = 0
    /// When that slice begins and the next one.
    private var begin: Int64 = 0
    private var end: Int64 = 0

    /// Of a load that began at `time`, and of none yet: ``add(_:)`` counts it.
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

    /// All that was added.
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
    /// The product, or the end of the numbers that it lies beyond.
    fileprivate func clampedTimes(_ other: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        guard isBeyond else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }
}
