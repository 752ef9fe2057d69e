/// The id of a load as a 128-bit number: a ULID, which sorts as a number as its text does. Source:
/// github.com/ulid/spec.
public struct LoadID: Sendable, Hashable, CustomStringConvertible {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// - Returns: nil if the text is not 26 characters of Crockford's base 32, the first at most 7.
    public init?(_ text: some Collection<UInt8>) {
        guard text.count == length, let first = text.first, first <= UInt8(ascii: "7") else { return nil }
        let values = values
        var (high, low) = (UInt64(0), UInt64(0))
        for character in text {
            let value = values[Int(character)]
            guard value < 32 else { return nil }
            high = high << 5 | low >> 59
            low = low << 5 | UInt64(value)
        }
        (self.high, self.low) = (high, low)
    }

    /// The id as text.
    public var description: String {
        var (high, low) = (high, low)
        var text = [UInt8](repeating: 0, count: length)
        for index in text.indices.reversed() {
            text[index] = characters[Int(low & 0x1F)]
            low = low >> 5 | high << 59
            high >>= 5
        }
        return String(decoding: text, as: UTF8.self)
    }
}

private let length = 26
private let characters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
/// The value of each character; 255 for all others.
private let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in characters.enumerated() {
        values[Int(character)] = UInt8(value)
    }
    return values
}()
