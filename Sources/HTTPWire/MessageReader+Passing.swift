extension MessageReader {
    /// Bytes that are still to come of a body of known length; nil outside of one.
    public var fixedBytesLeft: Int64? {
        if case .fixed(let left) = state { left } else { nil }
    }

    /// Takes note of payload that went another way than through ``next(in:)``.
    ///
    /// - Precondition: `count` is less than ``fixedBytesLeft``; the last byte is always read.
    public mutating func passOver(_ count: Int64) {
        guard case .fixed(let left) = state, count >= 0, count < left else {
            preconditionFailure("only the inside of a body of known length is passed over")
        }
        state = .fixed(left - count)
    }
}
