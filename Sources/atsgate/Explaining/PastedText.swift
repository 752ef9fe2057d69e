import ATSPolicy
import Diagnosis
import Evidence
import Text

/// Text that a person pasted: an error, lines of a log, the exception of a framework. The facts are those that
/// `evidence read` finds; codes and a URL that it does not know the lines of are searched for in the text itself.
struct PastedText {
    let numbers: [ErrorNumber]
    let host: String?
    let url: String?
    /// Causes that words of the text name.
    let hints: [TextHint]

    /// - Returns: nil if the text contains no known code and no words that name a cause.
    init?(_ text: String) {
        let loads = Self.loads(in: text)
        var numbers = loads.compactMap(\.number)
        for number in NumbersInText.find(in: text)
        where !numbers.contains(where: { $0 == number || $0.contains(number) }) {
            numbers.removeAll { number.contains($0) }
            numbers.append(number)
        }
        numbers = numbers.reduce(into: []) { known, number in if !known.contains(number) { known.append(number) } }
        let hints = TextHint.all(in: text)
        numbers.removeAll { number in
            hints.contains { $0.replaced.contains(number.number) || $0.replaced.contains(number.code ?? 0) }
        }
        guard !numbers.isEmpty || !hints.isEmpty else { return nil }
        (self.numbers, self.hints) = (numbers, hints)
        let printed = loads.lazy.compactMap(\.url).first ?? Self.url(in: text)
        url = printed
        let target = printed.flatMap { try? URLText.parse($0) }?.target
        host = loads.lazy.compactMap(\.host).first ?? target.map { Authority(host: $0.host, port: nil).description }
    }

    private static func loads(in text: String) -> [EvidenceTask] {
        var reader = EvidenceReader(log: "-")
        var loads: [EvidenceTask] = []
        // The reader needs whole lines.
        Array((text + "\n").utf8).withUnsafeBytes { bytes in reader.read(bytes) { loads.append($0) } }
        reader.finish { loads.append($0) }
        return loads
    }

    private static func url(in text: String) -> String? {
        text.firstMatch(of: /(?i)\b(?:https?|wss?):\/\/[^\s"'<>,;(){}\[\]]+/).map {
            var url = $0.output
            while let last = url.last, ".:".contains(last) { url.removeLast() }
            return String(url)
        }
    }

    /// The explanation of each code, then the load and the command that finds the cause.
    ///
    /// - Parameter policy: the app's dictionary; nil if it is not known.
    func words(policy: String?) -> String {
        let explanations = numbers.compactMap { NumberExplanation($0)?.words }.map { text in
            host.map { text.replacing("HOST", with: $0.printable) } ?? text
        }
        var lines = hints.map(\.words) + explanations
        if let place = url ?? host { lines.append("  load: \(place.printable)") }
        lines.append("  next: \(next(policy))")
        return lines.joined(separator: "\n")
    }

    /// One object on one line.
    ///
    /// - Parameter ruling: JSON of the load's ruling; nil for none.
    func json(ruling: String?) -> String {
        JSONValue.object([
            ("codes", .array(numbers.compactMap { NumberExplanation($0)?.jsonValue })),
            ("hints", .texts(hints.map(\.words))), ("host", .text(host)), ("url", .text(url)),
            ("next", .string(next(nil))), ("ruling", ruling.map { .json($0) } ?? .null),
        ]).text
    }

    /// The command that finds the cause.
    private func next(_ policy: String?) -> String {
        let policy = policy.map(\.shellWord) ?? "MyApp.app"
        if numbers.isEmpty, let hint = hints.first { return "atsgate explain \(hint.topic)" }
        guard !numbers.contains(where: { $0.number == -1022 }) else {
            let http = url.flatMap { $0.lowercased().hasPrefix("http:") ? $0 : nil }
            return "atsgate explain --policy \(policy) \((http ?? "http://\(host ?? "HOST")/").shellWord)"
        }
        return "atsgate probe --policy \(policy) \((host ?? "HOST").shellWord)"
    }
}

extension EvidenceTask {
    /// Its code, with that of the stream; nil if the line has none that is known.
    fileprivate var number: ErrorNumber? {
        let stream = streamCode.map { "\(streamDomain ?? 3):\($0)" }
        let texts = [code.flatMap { code in stream.map { "\(code) [\($0)]" } }, code.map(String.init), stream]
        return texts.compactMap { $0.flatMap(ErrorNumber.init) }.first {
            NumberExplanation($0).map { !$0.meanings.isEmpty || $0.remark != nil } ?? false
        }
    }
}

extension ErrorNumber {
    /// True if the other one is a part of it: the code, or the stream's number.
    fileprivate func contains(_ other: ErrorNumber) -> Bool {
        self != other && other.code == nil && (code == other.number || (number == other.number && other != self))
    }
}
