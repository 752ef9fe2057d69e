public import ATSPolicy
import Text

/// The ruling on one URL under every canonical release, with the reasons for changes: `explain --all-os`.
public struct OSMatrix: Sendable {
    /// The ruling of one release.
    public struct Row: Sendable {
        public let explanation: Explanation
        /// True if the ruling differs from the row above.
        public let isChanged: Bool
        /// Properties of this release that change the ruling; empty if it does not change.
        public let reasons: [String]

        /// The release whose rules this one is assumed to have; nil if the row above has the same.
        let inheritedFrom: OSProfile?

        /// True if the row shows more than its ruling.
        let showsDetails: Bool
    }

    public let url: URLText
    public let loader: Loader
    /// In the order of ``OSProfile/all``.
    public let rows: [Row]

    /// - Parameter problems: of the dictionary, as in ``LintedFile/problems``.
    /// - Throws: if `url` is not an http, https, ws or wss URL.
    public init(
        url: String, declaration: Declaration, switches: JudgeSwitches, loader: Loader, problems: [LintFinding]
    ) throws(URLTextError) {
        let text = try URLText.parse(url)
        let declaration = declaration.narrowed(to: text.target)
        var rows: [Row] = []
        for profile in OSProfile.all {
            let judge = Judge(declaration: declaration, profile: profile, switches: switches)
            let explanation = try Explanation(url: url, judge: judge, loader: loader, problems: problems)
            let above = rows.last?.explanation
            let isChanged = above.map { RulingSummary($0.ruling) != RulingSummary(explanation.ruling) } ?? false
            let reasons = above.map { isChanged ? Self.reasons($0, explanation, declaration, switches) : [] } ?? []
            let inheritedFrom = above?.profile.inheritedFrom == nil ? profile.inheritedFrom : nil
            let showsDetails = above.map { isChanged || $0.disagreements != explanation.disagreements } ?? true
            rows.append(
                Row(
                    explanation: explanation, isChanged: isChanged, reasons: reasons, inheritedFrom: inheritedFrom,
                    showsDetails: showsDetails || inheritedFrom != nil))
        }
        self.url = text
        self.loader = loader
        self.rows = rows
    }

    public var isPermittedThroughout: Bool { rows.allSatisfy(\.explanation.isPermitted) }

    /// A property is a reason if changing it alone changes the old ruling. If none does, the reasons are the properties
    /// that change the new ruling if they are changed back.
    private static func reasons(
        _ old: Explanation, _ new: Explanation, _ declaration: Declaration, _ switches: JudgeSwitches
    ) -> [String] {
        func outcome(_ profile: OSProfile) -> RulingSummary {
            let judge = Judge(declaration: declaration, profile: profile, switches: switches)
            return RulingSummary(judge.rule(on: new.url.target, loader: new.loader))
        }
        let (oldOutcome, newOutcome) = (RulingSummary(old.ruling), RulingSummary(new.ruling))
        let traits = OSProfile.Trait.allCases
        let sufficient = traits.filter { outcome(old.profile.adopting($0, from: new.profile)) != oldOutcome }
        let necessary = traits.filter { outcome(new.profile.adopting($0, from: old.profile)) != newOutcome }
        return (sufficient.isEmpty ? necessary : sufficient).map(new.profile.sentence(on:))
    }
}

extension OSMatrix {
    /// A table as text. Changed rows have a star; rows equal to the one above show only the ruling.
    public var words: String {
        let columns = rows.map(\.explanation.profile.name.count).max() ?? 0
        var lines = ["\(url.text) (requested by \(loader.words))"]
        for row in rows {
            let name = row.explanation.profile.name
            let padding = String(repeating: " ", count: columns - name.count)
            let ruling = row.explanation.isPermitted ? "allowed" : "blocked"
            let start = "  \(row.isChanged ? "*" : " ") \(name)\(padding)  \(ruling)"
            guard row.showsDetails else {
                lines.append(row.explanation.isPermitted ? start : start.trimmingBlanks)
                continue
            }
            lines.append("\(start)  \(row.explanation.ruling.summary)")
            let indent = String(repeating: " ", count: start.count + 2)
            lines +=
                row.inheritedFrom.map {
                    [indent + References.shown("inferred: same rules as \($0.name) (\(DocsSection.ios27))")]
                } ?? []
            lines += row.reasons.map { indent + "because: " + References.shown($0) }
            lines += Disagreement.sentences(row.explanation.disagreements).map {
                indent + "disputed: " + References.shown($0)
            }
        }
        return lines.map(\.printable).joined(separator: "\n")
    }

    /// One JSON object on one line: `url loader rows[{os ruling rule step confidence keyPath entry builtIn local
    /// demands changed inheritedFrom reasons[] disputed[{switch source ruling}]}]`.
    public var json: String {
        JSONValue.object([
            ("url", .string(url.text)), ("loader", .string(loader.rawValue)), ("rows", .array(rows.map(\.json))),
        ]).text
    }
}

extension OSMatrix.Row {
    fileprivate var json: JSONValue {
        let disputed = explanation.disagreements.map { disagreement in
            JSONValue.object([
                ("switch", .string(disagreement.option)),
                ("source", .string(disagreement.source)),
                ("ruling", .string(disagreement.isPermitted ? "permit" : "deny")),
            ])
        }
        return .object(
            explanation.rulingMembers + [
                ("step", .string(explanation.ruling.basis.step.rawValue)),
                ("confidence", .string(explanation.ruling.basis.confidence.rawValue)),
                ("changed", .flag(isChanged)),
                ("inheritedFrom", explanation.profile.inheritedFrom.map { .string($0.name) } ?? .null),
                ("reasons", .texts(reasons)),
                ("disputed", .array(disputed)),
            ])
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate var trimmingBlanks: String { String(reversed().drop { $0 == " " }.reversed()) }
}
