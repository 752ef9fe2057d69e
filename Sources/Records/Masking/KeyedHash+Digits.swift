extension KeyedHash {
    /// Hexadecimal digits that stand for a text, as many as it has bytes.
    func hexadecimal(_ text: String) -> String {
        var digits = ""
        while digits.utf8.count < text.utf8.count {
            let digest = String(digest("x\(digits.utf8.count):\(text)".utf8), radix: 16)
            digits += String(repeating: "0", count: 16 - digest.count) + digest
        }
        return String(digits.prefix(text.utf8.count))
    }

    /// The same of Base64. The first one is no slash, with which a path would begin.
    func base64Digits(_ count: Int, of text: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let chosen = (0..<count).map { digits[Int(digest("b\($0):\(text)".utf8) % ($0 == 0 ? 62 : 64))] }
        return String(decoding: chosen, as: UTF8.self)
    }
}
