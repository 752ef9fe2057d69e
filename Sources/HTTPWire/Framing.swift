import Bytes

extension FieldBlock {
    /// Returns the body framing that the fields declare; nil if they declare none. Source: RFC 9112 sections 6.1 to
    /// 6.3.
    ///
    /// - Throws: for everything that could make two readers see different ends, even if RFC 9112 allows a repair.
    func declaredFraming(minorVersion: UInt8) throws(WireError) -> BodyFraming? {
        if contains(.transferEncoding) {
            guard !contains(.contentLength) else { throw .bothLengthAndChunked }
            guard minorVersion == 1 else { throw .chunkedInOldVersion }
            try checkTransferCodings()
            return .chunked
        }
        guard contains(.contentLength) else { return nil }
        return .fixed(try contentLength())
    }

    /// Accepts `chunked` only. Any other coding would have to be decoded before forwarding.
    private func checkTransferCodings() throws(WireError) {
        var members = 0
        var chunked = 0
        var endsChunked = false
        _ = hasMember(of: .transferEncoding) { view, member in
            members += 1
            endsChunked = view.matches("chunked", at: member.lowerBound, count: member.count)
            if endsChunked { chunked += 1 }
            return false
        }
        guard endsChunked, chunked == 1 else { throw .nonFinalChunked }
        guard members == 1 else { throw .unknownTransferCoding }
    }

    /// Returns Content-Length, which must occur once and be a decimal number.
    ///
    /// - Throws: ``WireError/conflictingLengths`` or ``WireError/badLength``.
    public func contentLength() throws(WireError) -> Int64 {
        guard count(of: .contentLength) == 1 else { throw .conflictingLengths }
        var length: Int64?
        var isList = false
        walk { record, view in
            guard record.isField(.contentLength) else { return true }
            isList = record.value.contains { view[$0] == Ascii.comma }
            length = view.decimal(record.value)
            return false
        }
        guard !isList else { throw .conflictingLengths }
        guard let length else { throw .badLength }
        return length
    }

    /// True if Connection allows more messages on the connection. Source: RFC 9112 section 9.3.
    ///
    /// - Parameter keepsOldVersion: true to accept `keep-alive` in HTTP/1.0; false for requests to a proxy.
    func allowsPersistence(minorVersion: UInt8, keepsOldVersion: Bool) -> Bool {
        if hasOption("close") { return false }
        return minorVersion == 1 || (keepsOldVersion && hasOption("keep-alive"))
    }

    /// True if Connection names `option`, given in lower case.
    @inline(__always)
    func hasOption(_ option: StaticString) -> Bool { hasMember(of: .connection, equalTo: option) }

    /// True if the list has `member`, given in lower case.
    @inline(__always)
    func hasMember(of name: KnownField, equalTo member: StaticString) -> Bool {
        guard contains(name) else { return false }
        return hasMember(of: name) { view, range in
            view.matches(member, at: range.lowerBound, count: range.count)
        }
    }
}

extension ByteView {
    /// Returns the decimal number in `range`; nil for anything else and above Int64.max.
    fileprivate func decimal(_ range: Range<Int>) -> Int64? {
        guard !range.isEmpty else { return nil }
        var number: Int64 = 0
        for index in range {
            guard let digit = decimalValue(self[index]) else { return nil }
            let (tens, hasOverflown) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.addingReportingOverflow(Int64(digit))
            guard !hasOverflown, !isTooLarge else { return nil }
            number = sum
        }
        return number
    }
}
