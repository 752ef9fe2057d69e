extension RequestHead {
    /// The request may not go any further: it is TRACE or OPTIONS with `Max-Forwards: 0`, and whoever reads this has to
    /// answer it. Source: RFC 9110 section 7.6.2.
    public var hasNoForwardsLeft: Bool { forwardsLeft == 0 }

    /// Counts one hop in Max-Forwards, where TRACE or OPTIONS has it: what goes on says one less. Source: RFC 9110
    /// section 7.6.2.
    public mutating func countForward() {
        guard let left = forwardsLeft, left > 0 else { return }
        fields.set(.maxForwards, String(left - 1))
    }

    /// nil without the field, with one that is no decimal number, and for every other method, where it means nothing.
    /// More than ``mostForwards`` counts as that, as the section allows.
    private var forwardsLeft: Int? {
        guard method == .trace || method == .options, let text = fields.value(of: .maxForwards), !text.isEmpty,
            text.utf8.allSatisfy({ decimalValue($0) != nil })
        else { return nil }
        return min(Int(text) ?? Self.mostForwards, Self.mostForwards)
    }

    /// As a loop's end: no IP packet makes more hops (RFC 791 section 3.1).
    private static let mostForwards = 255
}
