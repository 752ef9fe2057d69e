/// Which texts are hosts, wherever a network or a person names one: SNI, Host, CONNECT, URLs, options.
///
/// A name is one or more labels of 1 to 63 letters, digits, hyphens and underscores with dots between, 253 bytes
/// without the one dot that may stand behind it. Source: RFC 1035 section 2.3.4, RFC 1123 section 2.1, RFC 3986
/// section 3.2.2. As names in the field do, and other than RFC 1123, it may have underscores, and hyphens at the ends
/// of a label. Everything else that RFC 3986 would let pass (percent signs, `*`, `!`) is refused, so that one host has
/// one spelling.
public enum HostGrammar {
    /// The longest name, without a dot behind it: 255 bytes on the wire are 253 of text (RFC 1035 section 2.3.4).
    public static let longestNameBytes = 253
    /// RFC 1035 section 2.3.4.
    public static let longestLabelBytes = 63

    /// A name, or an IP address without brackets. A zone (`%eth0`) is no part of a host.
    public static func isValidHost(_ host: String) -> Bool {
        isValidName(host) || IPAddress(host) != nil
    }

    /// The same for bytes of a network, which need be no UTF-8.
    public static func isValidHost(_ host: UnsafeRawBufferPointer) -> Bool {
        isValidName(host) || IPAddress(text: host) != nil
    }

    /// A name alone. `192.0.2.1` is one by this grammar, too.
    public static func isValidName(_ name: String) -> Bool {
        fault(in: name[...].utf8) == nil
    }

    /// The same for bytes of a network.
    public static func isValidName(_ name: UnsafeRawBufferPointer) -> Bool {
        fault(in: name) == nil
    }

    /// Why a text is no name; nil when it is one.
    public static func fault(inName name: Substring) -> AuthorityFault? {
        fault(in: name.utf8)
    }

    /// The spelling under which hosts are compared: capitals of ASCII made small, one dot behind a name left away, an
    /// IPv6 address as RFC 5952 writes it and without brackets. Text that is no host comes back in small letters.
    ///
    /// Exception domains are compared differently, dots included: that is the law's own business.
    public static func normalized(_ host: String) -> String {
        var name = host[...]
        if name.utf8.first == UInt8(ascii: "["), name.utf8.last == UInt8(ascii: "]") {
            name = name.dropFirst().dropLast()
        }
        if name.utf8.contains(UInt8(ascii: ":")) {
            return IPAddress(name).map(\.description) ?? name.asciiLowered
        }
        return withoutTrailingDot(name).asciiLowered
    }

    /// The name without the one dot that makes it absolute (RFC 1034 section 3.1).
    public static func withoutTrailingDot(_ name: Substring) -> Substring {
        name.utf8.last == UInt8(ascii: ".") ? name.dropLast() : name
    }

    /// Whether a name is `parent` or a name below it. Both in the spelling by which the caller compares, such as
    /// ``normalized(_:)``: capitals and a dot behind make a difference here.
    public static func isHost(_ host: some StringProtocol, atOrBelow parent: some StringProtocol) -> Bool {
        host.utf8.elementsEqual(parent.utf8) || isHost(host, below: parent)
    }

    /// The same for names below `parent` alone.
    public static func isHost(_ host: some StringProtocol, below parent: some StringProtocol) -> Bool {
        let above = host.utf8.count - parent.utf8.count - 1
        guard above >= 0 else { return false }
        let end = host.utf8.dropFirst(above)
        return end.first == UInt8(ascii: ".") && end.dropFirst().elementsEqual(parent.utf8)
    }

    static func fault<Bytes: Collection<UInt8>>(in name: Bytes) -> AuthorityFault? {
        guard !name.isEmpty else { return AuthorityFault(.hostMissing, at: 0) }
        var label = 0
        var length = 0
        for byte in name {
            if byte == UInt8(ascii: ".") {
                guard label > 0 else { return AuthorityFault(.emptyLabel, at: length) }
                label = 0
            } else {
                guard isNameByte(byte) else {
                    return AuthorityFault(byte < 0x80 ? .badCharacter : .foreignLetter, at: length)
                }
                label += 1
                guard label <= longestLabelBytes else { return AuthorityFault(.longLabel, at: length) }
            }
            length += 1
        }
        // A label of none at the end is the dot that may stand there.
        let bytes = label == 0 ? length - 1 : length
        return bytes <= longestNameBytes ? nil : AuthorityFault(.hostTooLong, at: longestNameBytes)
    }

    /// A letter, a digit, `-`, `.` or `_`.
    @inline(__always)
    static func isNameByte(_ byte: UInt8) -> Bool {
        // One bit per character of ASCII: 0...63, then 64...127.
        let set: UInt64 = byte < 64 ? 0x03FF_6000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
        return byte < 128 && (set &>> UInt64(byte & 63)) & 1 == 1
    }
}
