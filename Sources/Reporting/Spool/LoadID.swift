import Records

/// The id of a load as the number that it is: a ULID is 128 bits, and sorts by them as its text does.
/// Source: github.com/ulid/spec.
public struct LoadID: Sendable, Hashable, CustomStringConvertible {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// - Returns: nil for what no gate wrote: 26 characters of Crockford's base 32, the first at most 7.
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

    /// Of a load's entry; nil where that begins with none.
    init?(beginning entry: UnsafeBufferPointer<UInt8>) {
        guard entry.count <= length || entry[length] == RecordForm.blank else { return nil }
        self.init(UnsafeBufferPointer(rebasing: entry.prefix(length)))
    }

    /// Its text.
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
/// The value of each character; 255 for what is none.
private let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in characters.enumerated() {
        values[Int(character)] = UInt8(value)
    }
    return values
}()
