extension String {
    /// Replaces each word that may be a pin: 43 digits of Base64 and their padding (RFC 4648 section 4).
    func replacingPins(_ mask: (String) -> String) -> String {
        guard utf8.contains(UInt8(ascii: "=")) else { return self }
        var kept = ""
        var rest = utf8[...]
        while let start = rest.firstIndex(where: isBase64) {
            kept += Substring(rest[..<start])
            let end = rest[start...].firstIndex { !isBase64($0) } ?? rest.endIndex
            let word = String(Substring(rest[start..<end]))
            rest = rest[end...]
            if word.utf8.count == 43, rest.first == UInt8(ascii: "=") {
                kept += mask(word + "=")
                rest.removeFirst()
            } else {
                kept += word
            }
        }
        return kept + Substring(rest)
    }
}

private func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
        true
    default: false
    }
}
