import ATSPolicy
public import Records
public import Text

/// A sequence diagram of a load: the messages between app, gate and server, and where it ended. Fits the width of a
/// phone.
public struct HandshakePicture: Sendable {
    /// The stage at which a load ended.
    public enum End: Sendable, Hashable {
        /// The gate did not dial.
        case beforeDialing
        /// The origin was not reached.
        case reaching
        /// The origin rejected the offer.
        case offering
        /// The gate rejected the origin's choice, or its certificates.
        case judging
        /// The load completed.
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
    ///   - request: the app's request.
    ///   - offer: the gate's offer to the origin; nil for cleartext.
    ///   - refusal: how the origin rejected the offer, if a second handshake with all options followed.
    ///   - choice: the origin's choice; nil if there was none.
    ///   - served: its certificates.
    ///   - trouble: the reason for the end.
    ///   - answer: what the app saw.
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

    /// The picture in words, for screen readers.
    public var words: String {
        var parts = ["The app requests: \(request)"]
        if end != .beforeDialing { parts.append("The gate offers the server: \(offer ?? "cleartext")") }
        if let refusal { parts.append("The server answers: \(refusal). The gate offers everything") }
        if let choice { parts.append("The server chooses: \(choice)") }
        if let served { parts.append("It sends: \(served)") }
        if let trouble { parts.append("\(stage): \(trouble)") }
        parts.append("The app sees: \(answer)")
        return parts.joined(separator: ". ") + "."
    }

    private var stage: String {
        switch end {
        case .beforeDialing: "Stopped at the gate before anything is sent"
        case .reaching: "Stopped on the way to the server"
        case .offering: "Stopped at the server"
        case .judging, .none: "Stopped at the gate"
        }
    }

    /// An SVG element for a page.
    public var svg: String { drawn.svg }

    /// The picture as data: `width`, `height`, `label` and `marks`.
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
                drawing.arrow(from: .gate, to: .origin, "second handshake: offers everything")
            }
            if let choice { drawing.arrow(from: .origin, to: .gate, choice) }
            if let served { drawing.arrow(from: .origin, to: .gate, served) }
        }
        if let trouble {
            let place = end == .reaching ? nil : end == .offering ? Drawing.Lane.origin : .gate
            drawing.cross(at: place, trouble)
        }
        drawing.arrow(from: .gate, to: .app, answer, isBad: trouble != nil)
        return drawing.picture
    }
}

/// A drawing with three vertical lines.
private struct Drawing {
    enum Lane: Int {
        case app = 30
        case gate = 180
        case origin = 330

        var x: Int { rawValue }
    }

    /// A row of the drawing, from top to bottom.
    private struct Step {
        let height: Int
        /// Called with the y of its stroke.
        let draw: (inout SVGPicture, Int) -> Void
    }

    private var steps: [Step] = []
    private let label: String

    init(label: String) {
        self.label = label
    }

    mutating func arrow(from: Lane, to: Lane, _ text: String, breaks: Bool = false, isBad: Bool = false) {
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

    /// - Parameter place: nil for halfway between gate and server.
    mutating func cross(at place: Lane?, _ text: String) {
        let lines = text.lines(of: mostCharacters)
        steps.append(
            Step(height: step + (lines.count - 1) * lineHeight) { picture, y in
                let x = place?.x ?? (Lane.gate.x + Lane.origin.x) / 2
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
            (Lane.app, "app", SVGPicture.Anchor.middle), (.gate, "gate", .middle), (.origin, "server", .middle),
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
    /// Wraps into lines of at most `limit` characters; a longer word continues on the next line. At least one line.
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

extension HandshakePicture {
    public init(_ load: LoadRecord) {
        let handshake = load.handshake
        let facts = handshake?.facts
        let target = load.load.target
        let isTLS = target.scheme == .https
        let rule = load.rule
        self.init(
            request: "\(load.load.method) \(target.scheme.rawValue)://\(target.host)",
            offer: isTLS ? handshake?.offer.map(Self.words) ?? "TLS" : nil,
            refusal: facts == nil ? nil : handshake?.failure.map(Self.words),
            choice: facts.map { "TLS \($0.version.name), \($0.suite.name)" },
            served: facts.flatMap { Self.words(of: $0.served) },
            end: Self.end(load.verdict, rule, isBeforeChoice: isTLS && facts == nil),
            trouble: load.verdict.isTrouble ? rule?.rawValue ?? load.verdict.words : nil, answer: Self.answer(to: load))
    }

    private static func words(_ offer: TLSOffer) -> String {
        let versions =
            offer.minimum == offer.maximum
            ? "TLS \(offer.minimum.name)" : "TLS \(offer.minimum.name) to TLS \(offer.maximum.name)"
        guard !offer.suites.isEmpty else { return versions }
        return "\(versions), \(offer.suites.count) \(offer.suites.count == 1 ? "suite" : "suites")"
    }

    private static func words(_ failure: HandshakeFailure) -> String {
        switch failure {
        case .alertReceived(let alert): "alert \(alert)"
        case .versionNotOffered: "a version that was not offered"
        case .suiteNotOffered: "a suite that was not offered"
        case .closed(let reset): reset ? "a reset" : "the end of the connection"
        case .notTLS: "bytes that are not TLS"
        case .timeout: "a timeout"
        case .nothingToOffer: "no version to offer"
        case .chainTooLarge: "more certificates than the gate reads"
        case .library: "a message that OpenSSL rejects"
        }
    }

    private static func words(of chain: [CertificateFacts]) -> String? {
        guard let leaf = chain.first else { return nil }
        let count = chain.count == 1 ? "1 certificate" : "\(chain.count) certificates"
        return "\(count), \(leaf.keyType.rawValue.uppercased()) \(leaf.keyBits), \(leaf.signature)"
    }

    /// - Parameter isBeforeChoice: true if the load ended before the origin chose a suite.
    private static func end(_ verdict: Verdict, _ rule: RuleID?, isBeforeChoice: Bool) -> End {
        guard verdict.isTrouble else { return .none }
        if rule == .cleartextLoad { return .beforeDialing }
        guard let category = rule?.category else { return .judging }
        switch category {
        case .network: return .reaching
        case .tls: return .offering
        case .ats, .trust, .app, .http, .client, .gate: return isBeforeChoice ? .offering : .judging
        }
    }

    private static func answer(to load: LoadRecord) -> String {
        switch load.verdict {
        case .blocked, .failed: load.shownWords ?? load.diagnosis?.apple?.codes ?? "a closed connection"
        case .wouldBlock: "no error: \(load.policy.mode ?? "audit") mode let it through"
        case .allowed, .outside: load.status.map { "status \($0)" } ?? "the server's response"
        }
    }
}
