import CPoll
import Text

extension cpoll_address {
    /// An IPv4 literal with a port; nil for all other text.
    init?(_ literal: String, port: Int) {
        guard case .v4(let value)? = IPAddress(literal) else { return nil }
        let words: (UInt64, UInt64) = ((UInt64(value) << 32).bigEndian, 0)
        self.init(words: words, scope: 0, port: UInt16(port), version: 4)
    }
}
