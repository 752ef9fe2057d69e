/// Looks for the empty line that ends a head or trailers, and remembers how far it has looked.
struct HeadScan: Sendable {
    /// Bytes looked at.
    private(set) var scanned = 0
    /// Complete lines seen, without the empty one.
    private(set) var lines = 0
    private var lineStart = 0

    /// The bytes up to and with the empty line; nil when it has not come yet.
    ///
    /// - Parameters:
    ///   - view: begins at the same byte each time.
    ///   - limit: bytes within which the empty line must end.
    ///   - tooLarge: thrown when it does not.
    mutating func end(in view: ByteView, limit: Int, tooLarge: WireError) throws(WireError) -> Int? {
        let window = min(view.count, limit)
        while true {
            let lineFeed = view.first(Ascii.lineFeed, from: scanned, to: window)
            guard lineFeed < window else { break }
            // Without its CR a line could end in two places for two readers (RFC 9112 section 2.2).
            guard lineFeed > lineStart, view[lineFeed - 1] == Ascii.carriageReturn else { throw .bareLineFeed }
            scanned = lineFeed + 1
            if lineFeed - 1 == lineStart { return scanned }
            lineStart = scanned
            lines += 1
        }
        scanned = window
        guard view.count < limit else { throw tooLarge }
        return nil
    }
}
