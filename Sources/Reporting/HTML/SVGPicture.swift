import Text

/// An SVG picture for a page. Untrusted text must only be added with ``text(_:at:_:_:class:)``, which escapes it.
struct SVGPicture {
    private let width: Int
    private let height: Int
    private let label: String
    private var marks: [Mark] = []

    /// An element.
    private struct Mark {
        let element: String
        var attributes: [(key: String, value: String)]
        var text: String?
        /// A tooltip.
        var title: String?
    }

    /// - Parameter label: the description for screen readers.
    init(width: Int, height: Int, label: String) {
        self.width = width
        self.height = height
        self.label = label
    }

    /// The alignment of a text at its point.
    enum Anchor: String {
        case start, middle, end
    }

    mutating func text(_ text: String, at x: Int, _ y: Int, _ anchor: Anchor = .start, class name: String = "") {
        var attributes = [(key: "x", value: "\(x)"), ("y", "\(y)")]
        if anchor != .start { attributes.append(("text-anchor", anchor.rawValue)) }
        if !name.isEmpty { attributes.append(("class", name)) }
        marks.append(Mark(element: "text", attributes: attributes, text: text.printable))
    }

    mutating func line(_ x1: Int, _ y1: Int, _ x2: Int, _ y2: Int, class name: String = "quiet", dashed: Bool = false) {
        var attributes = [
            (key: "x1", value: "\(x1)"), ("y1", "\(y1)"), ("x2", "\(x2)"), ("y2", "\(y2)"), ("class", name),
            ("stroke", "currentColor"),
        ]
        if dashed { attributes.append(("stroke-dasharray", "4 3")) }
        marks.append(Mark(element: "line", attributes: attributes))
    }

    /// - Parameters:
    ///   - data: path data that this program generated (SVG 2 section 9.3).
    ///   - title: a tooltip.
    mutating func path(_ data: String, class name: String, isFilled: Bool = true, title: String? = nil) {
        let colours =
            isFilled
            ? [(key: "fill", value: "currentColor")]
            : [(key: "fill", value: "none"), ("stroke", "currentColor"), ("stroke-width", "2")]
        marks.append(Mark(element: "path", attributes: [("class", name)] + colours + [("d", data)], title: title))
    }

    var svg: String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" role=\"img\" "
            + "aria-label=\"\(Self.escaped(label))\">\(marks.map(Self.markup).joined())</svg>"
    }

    /// The drawing as data, without tooltips.
    var json: JSONValue {
        let marks = marks.map { mark in
            JSONValue.object([
                ("element", .string(mark.element)),
                ("attributes", .object(mark.attributes.map { ($0.key, .string($0.value)) })),
                ("text", .text(mark.text)),
            ])
        }
        return .object([
            ("width", .number(width)), ("height", .number(height)), ("label", .string(label.printable)),
            ("marks", .array(marks)),
        ])
    }

    private static func markup(_ mark: Mark) -> String {
        let attributes = mark.attributes.map { " \($0.key)=\"\($0.value)\"" }.joined()
        let title = mark.title.map { "<title>\(escaped($0))</title>" } ?? ""
        return "<\(mark.element)\(attributes)>\(title)\(mark.text.map(escaped) ?? "")</\(mark.element)>"
    }

    private static func escaped(_ text: String) -> String { XMLText.escaped(text.printable) }
}
