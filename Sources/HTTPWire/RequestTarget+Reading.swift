import Bytes

extension RequestTarget {
    /// Reads the form of target that `method` allows. Source: RFC 9112 section 3.2.
    ///
    /// - Throws: ``WireError/badTarget``.
    static func read(_ view: ByteView, _ range: Range<Int>, for method: Method) throws(WireError) -> RequestTarget {
        guard let first = range.first, view.firstNotInTarget(from: first, to: range.upperBound) == range.upperBound
        else { throw .badTarget }
        if method == .connect { return try readAuthority(view, range) }
        if view[first] == Ascii.slash { return .path(view.text(range)) }
        if view[first] == Ascii.asterisk, range.count == 1, method == .options { return .asterisk }
        return .absolute(try AbsoluteTarget.read(view, range, for: method))
    }

    private static func readAuthority(_ view: ByteView, _ range: Range<Int>) throws(WireError) -> RequestTarget {
        guard let authority = view.authority(whole: range), let port = authority.port else { throw .badTarget }
        return .authority(host: view.lowercasedText(authority.host), port: port)
    }
}

extension AbsoluteTarget {
    fileprivate static func read(
        _ view: ByteView, _ range: Range<Int>, for method: Method
    ) throws(WireError) -> AbsoluteTarget {
        let schemeEnd = try endOfScheme(view, range)
        guard let authority = view.authority(startOf: (schemeEnd + 3)..<range.upperBound) else { throw .badTarget }
        let path = authority.end..<range.upperBound
        guard path.isEmpty || view[path.lowerBound] == Ascii.slash || view[path.lowerBound] == question else {
            throw .badTarget
        }
        return AbsoluteTarget(
            scheme: view.schemeText(range.lowerBound..<schemeEnd), host: view.lowercasedText(authority.host),
            port: authority.port, path: pathText(view, path, for: method))
    }

    /// Returns the index of the colon before `//`.
    private static func endOfScheme(_ view: ByteView, _ range: Range<Int>) throws(WireError) -> Int {
        if view.isEqual("http://", at: range.lowerBound, before: range.upperBound) { return range.lowerBound + 4 }
        var end = range.lowerBound
        while end < range.upperBound, isSchemeByte(view[end]) { end += 1 }
        guard end > range.lowerBound, end + 3 <= range.upperBound, lowercased(view[range.lowerBound]) &- 0x61 < 26,
            view[end] == Ascii.colon, view[end + 1] == Ascii.slash, view[end + 2] == Ascii.slash
        else { throw .badTarget }
        return end
    }

    private static func pathText(_ view: ByteView, _ range: Range<Int>, for method: Method) -> String {
        guard let first = range.first else { return method == .options ? "*" : "/" }
        return view[first] == Ascii.slash ? view.text(range) : "/" + view.text(range)
    }

    /// RFC 3986 section 3.1: letters, digits, plus, hyphen and dot.
    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        lowercased(byte) &- 0x61 < 26 || decimalValue(byte) != nil || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }

    private static let question: UInt8 = 0x3F
}

extension ByteView {
    /// Returns the range as text. Invalid UTF-8 becomes U+FFFD.
    func text(_ range: Range<Int>) -> String { String(decoding: slice(range), as: UTF8.self) }

    /// Returns the range as text with ASCII capitals in lower case.
    func lowercasedText(_ range: Range<Int>) -> String {
        guard firstCapital(from: range.lowerBound, to: range.upperBound) < range.upperBound else { return text(range) }
        return String(unsafeUninitializedCapacity: range.count) { room in
            var written = 0
            for index in range {
                room[written] = lowercased(self[index])
                written += 1
            }
            return written
        }
    }

    fileprivate func schemeText(_ range: Range<Int>) -> String {
        matches("http", at: range.lowerBound, count: range.count) ? "http" : lowercasedText(range)
    }
}
