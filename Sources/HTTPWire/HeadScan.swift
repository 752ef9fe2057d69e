import Bytes

/// Searches for the empty line that ends a head or trailers, and remembers its position between calls.
struct HeadScan: Sendable {
    /// Bytes already searched.
    private(set) var scanned = 0
    /// Complete lines seen, without the empty one.
    private(set) var lines = 0
    private var lineStart = 0

    /// Returns the number of bytes including the empty line; nil if it has not arrived yet.
    ///
    /// - Parameters:
    ///   - view: begins at the same byte in each call.
    ///   - limit: largest number of bytes including the empty line.
    ///   - tooLarge: thrown if the limit is exceeded.
    mutating func end(in view: ByteView, limit: Int, tooLarge: WireError) throws(WireError) -> Int? {
        let window = min(view.count, limit)
        while true {
            let lineFeed = view.first(Ascii.lineFeed, from: scanned, to: window)
            guard lineFeed < window else { break }
            // Without its CR, two readers could see the line end in different places (RFC 9112 section 2.2).
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
