import Bytes

extension RequestTarget {
    /// Reads the `:path` of HTTP/2 (RFC 9113 section 8.3.1): a path with its query, or `*`, only with OPTIONS.
    ///
    /// - Throws: ``WireError/badTarget``.
    public init(path: UnsafeRawBufferPointer) throws(WireError) {
        let view = ByteView(path)
        guard view.count > 0, view.firstNotInTarget(from: 0, to: view.count) == view.count else { throw .badTarget }
        if view[0] == Ascii.slash {
            self = .path(view.text(0..<view.count))
        } else if view[0] == Ascii.asterisk, view.count == 1 {
            self = .asterisk
        } else {
            throw .badTarget
        }
    }
}

extension Method {
    /// Reads a method from untrusted bytes; nil if they are not a token.
    public init?(untrusted bytes: UnsafeRawBufferPointer) {
        let view = ByteView(bytes)
        guard view.count > 0, view.endOfToken(from: 0, to: view.count) == view.count else { return nil }
        self = Method.read(view, 0..<view.count)
    }
}
