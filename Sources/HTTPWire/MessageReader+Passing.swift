extension MessageReader {
    /// Bytes still to come of a body of known length; nil outside such a body.
    public var fixedBytesLeft: Int64? {
        if case .fixed(let left) = state { left } else { nil }
    }

    /// Counts payload that was forwarded without ``next(in:)``.
    ///
    /// - Precondition: `count` is less than ``fixedBytesLeft``; the last byte is always read.
    public mutating func skipPayload(_ count: Int64) {
        guard case .fixed(let left) = state, count >= 0, count < left else {
            preconditionFailure("skipPayload is only for the inside of a body of known length")
        }
        state = .fixed(left - count)
    }
}
