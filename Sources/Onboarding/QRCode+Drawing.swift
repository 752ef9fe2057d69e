extension QRCode {
    /// For a terminal: two modules per character, one above the other. Sets the colours to dark on light, because not
    /// every camera reads an inverted code.
    public var terminalText: String {
        var text = ""
        let range = -Self.quietZone..<width + Self.quietZone
        for row in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            // Black (30) on white (107), to the end of the line's last module.
            text += "\u{1B}[30;107m"
            for column in range {
                switch (isDark(column, row), isDark(column, row + 1)) {
                case (false, false): text += " "
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (true, true): text += "█"
                }
            }
            text += "\u{1B}[0m\n"
        }
        return text
    }

    /// An SVG element for a page, with one path.
    ///
    /// - Parameter label: its description, already escaped.
    func svg(label: String) -> String {
        """
        <svg class="qr" role="img" aria-label="\(label)" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
        <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
        """
    }

    /// Modules of one side, including the quiet zone.
    public var side: Int { width + 2 * Self.quietZone }

    /// The dark modules as the data of an SVG path, one run at a time, in a square of ``side``.
    public var path: String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                guard isDark(column, row) else {
                    column += 1
                    continue
                }
                let start = column
                while isDark(column, row) { column += 1 }
                path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1h-\(column - start)z"
            }
        }
        return path
    }
}
