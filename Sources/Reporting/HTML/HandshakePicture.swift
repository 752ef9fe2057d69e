public import Text

/// A load as a picture: who said what to whom between the app, the gate and the origin, and where it ended. Narrow enough
/// for a phone.
public struct HandshakePicture: Sendable {
    /// How far the load came.
    public enum End: Sendable, Hashable {
        /// It was not let out.
        case beforeDialing
        /// The origin was not reached.
        case reaching
        /// It did not take the offer.
        case offering
        /// The gate did not take what it chose, or its certificates.
        case judging
        /// It came through.
        case none
    }

    private let request: String
    private let offer: String?
    private let refusal: String?
    private let choice: String?
    private let served: String?
    private let end: End
    private let trouble: String?
    private let answer: String

    /// - Parameters:
    ///   - request: what the app asked for.
    ///   - offer: what the origin was offered; nil for cleartext.
    ///   - refusal: how it turned that down, where it was then asked again with everything there is.
    ///   - choice: what it chose; nil where it did not come to that.
    ///   - served: its certificates.
    ///   - trouble: what ended it.
    ///   - answer: what the app was made to see.
    public init(
        request: String, offer: String?, refusal: String? = nil, choice: String?, served: String?, end: End,
        trouble: String?, answer: String
    ) {
        func kept(_ text: String) -> String { text.clipped(to: 160) }
        self.request = kept(request)
        self.offer = offer.map(kept)
        self.refusal = refusal.map(kept)
        self.choice = choice.map(kept)
        self.served = served.map(kept)
        self.end = end
        self.trouble = trouble.map(kept)
        self.answer = kept(answer)
    }

    /// The same in words: what a screen reader says of the picture.
    public var words: String {
        var parts = ["The app asks: \(request)"]
        if end != .beforeDialing { parts.append("The gate offers the origin: \(offer ?? "cleartext")") }
        if let refusal { parts.append("The origin answers: \(refusal). The gate offers everything") }
        if let choice { parts.append("The origin chooses: \(choice)") }
        if let served { parts.append("It serves: \(served)") }
        if let trouble { parts.append("\(stage): \(trouble)") }
        parts.append("The app sees: \(answer)")
        return parts.joined(separator: ". ") + "."
    }

    private var stage: String {
        switch end {
        case .beforeDialing: "It ends at the gate, before anything is sent"
        case .reaching: "It ends on the way to the origin"
        case .offering: "It ends at the origin"
        case .judging, .none: "It ends at the gate"
        }
    }

    /// An SVG to stand in a page.
    public var svg: String { drawn.svg }

    /// The same for whoever makes elements of it: `width`, `height`, `label` and `marks`.
    public var json: JSONValue { drawn.json }

    private var drawn: SVGPicture {
        var drawing = Drawing(label: words)
        drawing.arrow(from: .app, to: .gate, request)
        if end != .beforeDialing {
            drawing.arrow(from: .gate, to: .origin, offer ?? "cleartext", breaks: end == .reaching || end == .offering)
        }
        if end == .judging || end == .none {
            if let refusal {
                drawing.arrow(from: .origin, to: .gate, refusal, isBad: true)
                drawing.arrow(from: .gate, to: .origin, "asked again, with everything")
            }
            if let choice { drawing.arrow(from: .origin, to: .gate, choice) }
            if let served { drawing.arrow(from: .origin, to: .gate, served) }
        }
        if let trouble {
            let place = end == .reaching ? nil : end == .offering ? Drawing.Place.origin : .gate
            drawing.cross(at: place, trouble)
        }
        drawing.arrow(from: .gate, to: .app, answer, isBad: trouble != nil)
        return drawing.picture
    }
}

/// Three life lines, downwards.
private struct Drawing {
    enum Place: Int {
        case app = 30
        case gate = 180
        case origin = 330

        var x: Int { rawValue }
    }

    /// One after the other, downwards.
    private struct Step {
        let height: Int
        /// With the y of its stroke.
        let draw: (inout SVGPicture, Int) -> Void
    }

    private var steps: [Step] = []
    private let label: String

    init(label: String) {
        self.label = label
    }

    mutating func arrow(from: Place, to: Place, _ text: String, breaks: Bool = false, isBad: Bool = false) {
        let lines = text.lines(of: mostCharacters)
        let above = (lines.count - 1) * lineHeight
        steps.append(
            Step(height: step + above) { picture, y in
                let y = y + above
                let direction = to.x > from.x ? 1 : -1
                let end = breaks ? (from.x + to.x) / 2 : to.x
                let name = breaks || isBad ? "blocked" : "quiet"
                let anchor: SVGPicture.Anchor = to == .origin || from == .origin ? .end : .start
                for (place, line) in lines.enumerated() {
                    let lower = (lines.count - 1 - place) * lineHeight
                    picture.text(line, at: anchor == .end ? right : left, y - 6 - lower, anchor)
                }
                picture.line(from.x, y, end - 6 * direction, y, class: name, dashed: breaks)
                if !breaks {
                    picture.path("M\(end) \(y)l\(-8 * direction) -4v8z", class: name)
                }
            })
    }

    /// - Parameter place: nil for half way between the gate and the origin.
    mutating func cross(at place: Place?, _ text: String) {
        let lines = text.lines(of: mostCharacters)
        steps.append(
            Step(height: step + (lines.count - 1) * lineHeight) { picture, y in
                let x = place?.x ?? (Place.gate.x + Place.origin.x) / 2
                picture.path(
                    "M\(x - 6) \(y - 15)l12 12m0 -12l-12 12", class: "blocked", isFilled: false)
                for (place, line) in lines.enumerated() {
                    picture.text(line, at: middle, y + 13 + place * lineHeight, .middle, class: "blocked")
                }
            })
    }

    var picture: SVGPicture {
        let height = 44 + steps.reduce(0) { $0 + $1.height }
        var picture = SVGPicture(width: 360, height: height, label: label)
        for (place, name, anchor) in [
            (Place.app, "app", SVGPicture.Anchor.middle), (.gate, "gate", .middle), (.origin, "origin", .middle),
        ] {
            picture.text(name, at: place.x, 12, anchor)
            picture.line(place.x, 18, place.x, height - 6, class: "rail")
        }
        var y = 52
        for step in steps {
            step.draw(&picture, y)
            y += step.height
        }
        return picture
    }
}

extension String {
    /// Its words in lines of at most `limit` characters; a longer word goes on in the next line. At least one line.
    func lines(of limit: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ") {
            var rest = word[...]
            if let last = lines.last, last.count + 1 + rest.count <= limit {
                lines[lines.count - 1] = "\(last) \(rest)"
                continue
            }
            while rest.count > limit {
                lines.append(String(rest.prefix(limit)))
                rest = rest.dropFirst(limit)
            }
            lines.append(String(rest))
        }
        return lines.isEmpty ? [""] : lines
    }
}

private let step = 36
private let lineHeight = 13
private let left = 36
private let right = 324
private let middle = 180
private let mostCharacters = 50
