public import ATSPolicy
import Text

/// All that a handshake with an origin showed, so that it can be judged again under any dictionary and release.
public struct RecordedHandshake: Sendable, Hashable {
    /// nil if no handshake finished.
    public var facts: HandshakeFacts?
    /// How the handshake with `offer` failed. `facts` then come from a second handshake, which offered everything. They
    /// come from the same one if the origin rejected the client's answer to its certificate request.
    public var failure: HandshakeFailure?
    /// The offer to the origin; nil if it was not recorded.
    public var offer: TLSOffer?

    public init(facts: HandshakeFacts?, failure: HandshakeFailure? = nil, offer: TLSOffer? = nil) {
        self.facts = facts
        self.failure = failure
        self.offer = offer
    }

    /// Approximate size in memory.
    public var bytes: Int { 256 + (facts?.bytes ?? 0) }

    /// True if nothing was seen, as with a cleartext origin.
    public var isEmpty: Bool { facts == nil && failure == nil && offer == nil }
}

/// The stored form: one handshake as text.
extension RecordedHandshake {
    /// One line of JSON that reads back as the same handshake.
    public var text: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension RecordedHandshake: Decodable {
    public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
}

extension RecordedHandshake: StoredFacts {
    static let blank = RecordedHandshake(facts: nil)
    static let fields = [
        FactField("facts", \Self.facts), FactField("failure", \.failure), FactField("offer", \.offer),
    ]
}
