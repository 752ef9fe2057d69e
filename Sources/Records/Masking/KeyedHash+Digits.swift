extension KeyedHash {
    /// Returns hexadecimal digits derived from `text`, as many as it has bytes.
    func hexadecimal(_ text: String) -> String {
        var digits = ""
        while digits.utf8.count < text.utf8.count {
            let digest = String(digest("x\(digits.utf8.count):\(text)".utf8), radix: 16)
            digits += String(repeating: "0", count: 16 - digest.count) + digest
        }
        return String(digits.prefix(text.utf8.count))
    }

    /// Returns Base64 digits derived from `text`. The first is never a slash, which would begin a path.
    func base64Digits(_ count: Int, of text: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let chosen = (0..<count).map { digits[Int(digest("b\($0):\(text)".utf8) % ($0 == 0 ? 62 : 64))] }
        return String(decoding: chosen, as: UTF8.self)
    }
}
