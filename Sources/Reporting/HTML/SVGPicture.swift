import Text

/// An SVG within a page, drawn piece by piece. What is foreign goes through ``text(_:at:_:)`` alone.
struct SVGPicture {
    private let width: Int
    private let label: String
    private var body = ""

    /// - Parameter label: what a screen reader says of it.
    init(width: Int, label: String) {
        self.width = width
        self.label = label
    }

    /// Where a text stands to its place.
    enum Anchor: String {
        case start, middle, end
    }

    mutating func text(_ text: String, at x: Int, _ y: Int, _ anchor: Anchor = .start, class name: String = "") {
        let anchor = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
        let name = name.isEmpty ? "" : " class=\"\(name)\""
        body += "<text x=\"\(x)\" y=\"\(y)\"\(anchor)\(name)>\(Self.escaped(text))</text>"
    }

    mutating func line(_ x1: Int, _ y1: Int, _ x2: Int, _ y2: Int, class name: String = "quiet", dashed: Bool = false) {
        let dash = dashed ? " stroke-dasharray=\"4 3\"" : ""
        body +=
            "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" class=\"\(name)\" stroke=\"currentColor\"\(dash)/>"
    }

    /// - Parameters:
    ///   - data: of our own making (SVG 2 section 9.3).
    ///   - title: what a pointer shows.
    mutating func path(_ data: String, class name: String, isFilled: Bool = true, title: String? = nil) {
        let title = title.map { "<title>\(Self.escaped($0))</title>" } ?? ""
        let paint = isFilled ? "fill=\"currentColor\"" : "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\""
        body += "<path class=\"\(name)\" \(paint) d=\"\(data)\">\(title)</path>"
    }

    func svg(height: Int) -> String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" role=\"img\" "
            + "aria-label=\"\(Self.escaped(label))\">\(body)</svg>"
    }

    private static func escaped(_ text: String) -> String { XMLText.escaped(text.printable) }
}
