/// Remembers the JSON of cards, because many loads share one: a chain of certificates costs more than all the rest.
struct CardTexts: Sendable {
    private var texts: [ObjectIdentifier: Text] = [:]

    /// The card is held, so that no other one can get its identity meanwhile.
    private struct Text: Sendable {
        let card: any AnyObject & Sendable
        let bytes: [UInt8]
    }

    /// What was kept for `card`; nil when it is not known.
    func bytes(of card: AnyObject) -> [UInt8]? {
        texts[ObjectIdentifier(card)]?.bytes
    }

    /// Keeps the JSON of `card`. Forgets all others once there are too many: cards of closed connections never come back.
    mutating func keep(_ bytes: ArraySlice<UInt8>, of card: any AnyObject & Sendable) {
        if texts.count >= cardLimit { texts.removeAll(keepingCapacity: true) }
        texts[ObjectIdentifier(card)] = Text(card: card, bytes: Array(bytes))
    }
}

extension JSONWriter {
    /// Appends what `write` appends for `card`, from memory where it was asked for before.
    mutating func card<Card: AnyObject & Sendable>(_ card: Card, write: (inout JSONWriter, Card) -> Void) {
        if let known = cards.bytes(of: card) {
            bytes.append(contentsOf: known)
            return
        }
        let start = bytes.count
        write(&self, card)
        cards.keep(bytes[start...], of: card)
    }
}

/// With two kilobytes for a long chain, half a megabyte at most.
private let cardLimit = 256
