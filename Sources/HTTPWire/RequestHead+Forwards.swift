extension RequestHead {
    /// True if the request must not be forwarded: it is TRACE or OPTIONS with `Max-Forwards: 0`, and the recipient must
    /// answer it. Source: RFC 9110 section 7.6.2.
    public var hasNoForwardsLeft: Bool { forwardsLeft == 0 }

    /// Decrements Max-Forwards in TRACE and OPTIONS. Source: RFC 9110 section 7.6.2.
    public mutating func countForward() {
        guard let left = forwardsLeft, left > 0 else { return }
        fields.set(.maxForwards, String(left - 1))
    }

    /// The number in Max-Forwards, at most ``mostForwards``, as the section allows. nil without a decimal number, and
    /// for other methods, where the field has no meaning.
    private var forwardsLeft: Int? {
        guard method == .trace || method == .options, let text = fields.value(of: .maxForwards), !text.isEmpty,
            text.utf8.allSatisfy({ decimalValue($0) != nil })
        else { return nil }
        return min(Int(text) ?? Self.mostForwards, Self.mostForwards)
    }

    /// Ends loops: no IP packet makes more hops (RFC 791 section 3.1).
    private static let mostForwards = 255
}
