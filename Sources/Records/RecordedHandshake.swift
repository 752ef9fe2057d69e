public import ATSPolicy
import Text

/// All that a handshake with an origin showed, so that it can be judged again under any declaration and profile.
public struct RecordedHandshake: Sendable, Hashable {
    /// nil where no handshake finished.
    public var facts: HandshakeFacts?
    /// How the handshake with `offer` broke; `facts` are then those of a second one, which offered everything, or those
    /// of the same one where the origin turned down what the client answered to its request for a certificate.
    public var failure: HandshakeFailure?
    /// What the origin was offered; nil where nobody noted it.
    public var offer: TLSOffer?

    public init(facts: HandshakeFacts?, failure: HandshakeFailure? = nil, offer: TLSOffer? = nil) {
        self.facts = facts
        self.failure = failure
        self.offer = offer
    }

    /// What it takes in memory, about.
    public var bytes: Int { 256 + (facts?.bytes ?? 0) }

    /// Nothing was seen, as of a cleartext origin.
    public var isEmpty: Bool { facts == nil && failure == nil && offer == nil }
}

/// One handshake, and that alone, as text: the form in which a store keeps it.
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

extension RecordedHandshake: FactSheet {
    static let blank = RecordedHandshake(facts: nil)
    static let fields = [
        FactField("facts", \Self.facts), FactField("failure", \.failure), FactField("offer", \.offer),
    ]
}
