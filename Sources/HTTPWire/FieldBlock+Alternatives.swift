import Bytes

extension FieldBlock {
    /// Removes every HTTP/3 alternative from Alt-Svc, so that no client bypasses the gate. Other alternatives and
    /// `clear` stay; a field without remaining members is dropped. Source: RFC 7838 section 3.
    ///
    /// - Returns: the removed protocols in order, each once; empty if nothing changed.
    public mutating func removeHTTP3Alternatives() -> [String] {
        guard contains(.altSvc) else { return [] }
        var removed: [String] = []
        var rest = FieldBlock()
        walk { record, view in
            guard record.isField(.altSvc) else {
                rest.copy(record, from: view)
                return true
            }
            var kept: [UInt8] = []
            for member in view.listMembers(of: record.value) {
                guard let name = view.http3Name(ofAlternative: member) else {
                    if !kept.isEmpty { kept += [Ascii.comma, Ascii.space] }
                    kept += view.slice(member)
                    continue
                }
                if !removed.contains(name) { removed.append(name) }
            }
            if !kept.isEmpty { rest.appendChecked(Array(view.slice(record.name)), kept) }
            return true
        }
        if !removed.isEmpty { self = rest }
        return removed
    }
}

extension ByteView {
    /// Returns the members of a comma-separated list, without empty ones. Commas in quoted strings do not separate.
    /// Source: RFC 9110 sections 5.6.1 and 5.6.4.
    fileprivate func listMembers(of list: Range<Int>) -> [Range<Int>] {
        var members: [Range<Int>] = []
        var start = list.lowerBound
        var index = start
        var isQuoted = false
        while index < list.upperBound {
            switch self[index] {
            case Self.quote: isQuoted.toggle()
            case Self.backslash where isQuoted: index += 1
            case Ascii.comma where !isQuoted:
                members.append(trimmed(start..<index))
                start = index + 1
            default: break
            }
            index += 1
        }
        members.append(trimmed(start..<list.upperBound))
        return members.filter { !$0.isEmpty }
    }

    /// Returns the protocol of an alternative if it is HTTP/3, one of its drafts or Google's QUIC; nil for any other.
    /// Source: RFC 9114 section 3.1; `hq` and `quic` by IANA's ALPN registry and Chromium's alt-svc documents.
    fileprivate func http3Name(ofAlternative member: Range<Int>) -> String? {
        guard let equals = member.first(where: { self[$0] == Self.equals }) else { return nil }
        let name = percentDecoded(trimmed(member.lowerBound..<equals)).lowercased()
        let isHTTP3 = ["h3", "hq", "quic"].contains(name) || name.hasPrefix("h3-") || name.hasPrefix("hq-")
        return isHTTP3 ? name : nil
    }

    /// Decodes `%` and two digits, by which RFC 7838 section 3 writes bytes that a token cannot contain.
    private func percentDecoded(_ range: Range<Int>) -> String {
        var bytes: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == Self.percent, index + 2 < range.upperBound,
                let high = hexadecimalValue(self[index + 1]), let low = hexadecimalValue(self[index + 2])
            {
                bytes.append(UInt8(truncatingIfNeeded: high) << 4 | UInt8(truncatingIfNeeded: low))
                index += 3
            } else {
                bytes.append(self[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let quote: UInt8 = 0x22
    private static let percent: UInt8 = 0x25
    private static let equals: UInt8 = 0x3D
    private static let backslash: UInt8 = 0x5C
}
