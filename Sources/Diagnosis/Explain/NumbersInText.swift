import ATSPolicy
import Text

/// Finds Apple's error codes in text that people paste: a line of Xcode, an error of an app or of a framework.
public enum NumbersInText {
    /// The known codes, each once, in the order of the text. A code with its stream code is one: `-1200 [3:-9802]`.
    public static func find(in text: String) -> [ErrorNumber] {
        let plain = String(text.map { ErrorNumber.minusSigns.contains($0) ? "-" : $0 })
        var found: [ErrorNumber] = []
        for word in plain.split(whereSeparator: { !$0.isLetter && !$0.isNumber && !"_:-".contains($0) }) {
            guard let code = number(word), NumberExplanation(code) != nil, !found.contains(code) else { continue }
            found.append(code)
        }
        if found.isEmpty { found = sentences(in: plain.lowercased()) }
        return paired(found)
    }

    /// `3:-9802`, a negative number, also after a name and a colon, or the name of a constant.
    private static func number(_ word: Substring) -> ErrorNumber? {
        if word.wholeMatch(of: /\d{1,2}:-?\d{1,5}/) != nil { return ErrorNumber(String(word)) }
        if let match = word.wholeMatch(of: /(?:[A-Za-z_]+:)?(-\d{3,6})/) { return ErrorNumber(String(match.1)) }
        return NumberExplanation.number(named: String(word))
    }

    /// A code of a TLS failure together with its stream code, then the rest.
    private static func paired(_ all: [ErrorNumber]) -> [ErrorNumber] {
        guard let code = all.first(where: { errors.contains($0.number) }),
            let stream = all.first(where: { streams.contains($0.number) && $0.domain ?? 3 == 3 }),
            let pair = ErrorNumber("\(code.number) [3:\(stream.number)]"),
            NumberExplanation(pair)?.meanings.isEmpty == false
        else { return all }
        return [pair] + all.filter { $0 != code && $0.number != stream.number }
    }

    /// The codes of sentences that may be copied without theirs, and of the line for a received TLS alert.
    private static func sentences(in text: String) -> [ErrorNumber] {
        if let found = known.first(where: { $0.parts.contains(where: text.contains) }) {
            return [ErrorNumber(found.code)]
        }
        let alert = text.firstMatch(of: /read alert, level: fatal, description: ([a-z ]+)/)
        return alert.flatMap { AppleError.streamCode(ofAlertNamed: String($0.1)) }.map { [ErrorNumber($0)] } ?? []
    }

    /// Parts of Apple's messages and lines in lower case. Source: docs/console-lines.md (observed).
    private static let known: [(code: Int, parts: [String])] = [
        (
            -1022,
            [
                "app transport security policy requires", "not conform to ats policy",
                "app transport security has blocked a cleartext",
            ]
        ), (-1202, ["the certificate for this server is invalid"]),
        (-1200, ["a secure connection to the server cannot be made"]),
    ]

    private static let errors = -1206 ... -1200
    private static let streams = -9899 ... -9800
}
