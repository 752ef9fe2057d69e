/// The syntax of hosts in all sources: SNI, Host, CONNECT, URLs, options.
///
/// A name is one or more labels of 1 to 63 letters, digits, hyphens and underscores, separated by dots. It has at most
/// 253 bytes, plus one optional trailing dot. Source: RFC 1035 section 2.3.4, RFC 1123 section 2.1, RFC 3986
/// section 3.2.2. Unlike in RFC 1123, but like real names, underscores are allowed, and hyphens at the ends of a label.
/// All other characters that RFC 3986 allows (percent signs, `*`, `!`) are rejected, so that one host has one spelling.
public enum HostGrammar {
    /// The longest name, without a trailing dot: 255 bytes on the wire are 253 of text (RFC 1035 section 2.3.4).
    public static let longestNameBytes = 253
    /// RFC 1035 section 2.3.4.
    public static let longestLabelBytes = 63

    /// True for a name, or an IP address without brackets. A zone (`%eth0`) is not part of a host.
    public static func isValidHost(_ host: String) -> Bool {
        isValidName(host) || IPAddress(host) != nil
    }

    /// True for bytes from a network that are a name or an IP address. They need not be UTF-8.
    public static func isValidHost(_ host: UnsafeRawBufferPointer) -> Bool {
        isValidName(host) || IPAddress(text: host) != nil
    }

    /// True for a name. By this grammar, `192.0.2.1` is one, too.
    public static func isValidName(_ name: String) -> Bool {
        fault(in: name[...].utf8) == nil
    }

    /// True for bytes from a network that are a name.
    public static func isValidName(_ name: UnsafeRawBufferPointer) -> Bool {
        fault(in: name) == nil
    }

    /// Returns the reason why a text is not a name; nil if it is one.
    public static func fault(inName name: Substring) -> AuthorityFault? {
        fault(in: name.utf8)
    }

    /// Returns the form in which hosts are compared: ASCII in lower case, without one trailing dot, an IPv6 address as
    /// in RFC 5952 and without brackets. Text that is not a host is only converted to lower case.
    ///
    /// Exception domains are compared differently, dots included; ATSPolicy does that.
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

    /// The parent domains of a name, nearest first: `b.c` and `c` for `a.b.c`.
    public static func parents(of name: Substring) -> UnfoldSequence<Substring, Substring> {
        sequence(state: name) { rest in
            guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
            rest = rest[rest.utf8.index(after: dot)...]
            return rest
        }
    }

    /// True if a name is `parent` or a subdomain of it. Both must be in the caller's form for comparison, such as
    /// ``normalized(_:)``: case and trailing dots count here.
    public static func isHost(_ host: some StringProtocol, atOrBelow parent: some StringProtocol) -> Bool {
        host.utf8.elementsEqual(parent.utf8) || isHost(host, below: parent)
    }

    /// True if a name is a subdomain of `parent`.
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
        // An empty last label is the optional trailing dot.
        let bytes = label == 0 ? length - 1 : length
        return bytes <= longestNameBytes ? nil : AuthorityFault(.hostTooLong, at: longestNameBytes)
    }

    /// True for a letter, a digit, `-`, `.` or `_`.
    @inline(__always)
    static func isNameByte(_ byte: UInt8) -> Bool {
        // One bit per ASCII character: 0...63, then 64...127.
        let set: UInt64 = byte < 64 ? 0x03FF_6000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
        return byte < 128 && (set &>> UInt64(byte & 63)) & 1 == 1
    }
}
