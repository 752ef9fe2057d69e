/// The secret in the page's address. Its holder may look, and make the changes that the gate allows. New at each start;
/// it exists only in the start line, `--web-url-file` and browsers' cookies.
public struct AccessToken: Sendable {
    /// 256 bits in base64url without padding (RFC 4648 section 5), as in URLs.
    public let text: String

    public init() {
        var random = SystemRandomNumberGenerator()
        text = String((0..<43).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
    }

    /// True if `other` is the same text. The time it takes does not depend on where they differ.
    func matches(_ other: some StringProtocol) -> Bool {
        var difference = UInt8(text.utf8.count == other.utf8.count ? 0 : 1)
        for (mine, theirs) in zip(text.utf8, other.utf8) { difference |= mine ^ theirs }
        return difference == 0
    }
}

private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
