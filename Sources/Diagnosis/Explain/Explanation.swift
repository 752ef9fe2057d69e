public import ATSPolicy
import Text

/// The ruling on one URL, as text and as JSON: the output of `explain`.
public struct Explanation: Sendable {
    public let url: URLText
    public let ruling: Ruling
    public let loader: Loader
    public let profile: OSProfile
    /// Place of the deciding key, for example `Info.plist:14`; nil if no key decided.
    public let place: String?
    /// Additional facts, the ruling's own notes first.
    public let notes: [String]
    /// Readings of the rules that change less than the ruling.
    public let minorNotes: [String]
    /// The changes of NSExceptionDomains that would allow a denied load; empty if none would.
    public let options: [ExceptionOption]
    /// The forms of each of ``options`` to paste.
    public let toPaste: [EntryToPaste]
    /// Disagreements of the sources about this load: the switches that would change the ruling.
    public let disagreements: [Disagreement]

    /// - Parameters:
    ///   - judge: of the dictionary, which may be ``ATSPolicy/Declaration/narrowed(to:)`` the URL's host.
    ///   - problems: of the whole dictionary, as in ``LintedFile/problems``; nil to search the judge's for them.
    /// - Throws: if `url` is not an http, https, ws or wss URL.
    public init(
        url: String, judge: Judge, loader: Loader, problems: [LintFinding]? = nil
    ) throws(URLTextError) {
        self.url = try URLText.parse(url)
        self.loader = loader
        profile = judge.profile
        ruling = judge.rule(on: self.url.target, loader: loader)
        options = Self.options(for: self.url.target, judge, loader, ruling)
        toPaste = options.map { EntryToPaste($0.fix, in: judge.declaration) }
        place = Self.place(of: ruling.basis.keyPath, in: judge.declaration)
        disagreements = Disagreement.all(over: ruling, by: judge)
        minorNotes = Disagreement.sentences(disagreements.filter { $0.change != .ruling })
        let basis = ruling.basis
        let problems = problems ?? Linter().lint(judge.declaration).problems
        notes =
            self.url.remarks + basis.notes + problems.filter { $0.isAbout(basis) }.map(\.note)
            + Disagreement.sentences(disagreements.filter { $0.change == .ruling })
            + LocalAlternatives.notes(for: self.url.target, ruling: ruling, judge: judge, loader: loader)
            + (basis.step == .mediaGrant ? [Self.simulatorNote] : [])
            + (self.url.isWebSocket ? [Self.webSocketNote] : [])
    }

    public var isPermitted: Bool {
        switch ruling {
        case .permit: true
        case .denial: false
        }
    }

    /// nil if ATS adds no requirements to the system's own, for http, and for denials.
    public var demands: TLSDemands? {
        switch ruling {
        case .permit(let permit): permit.demands
        case .denial: nil
        }
    }

    private static func options(
        for target: LoadTarget, _ judge: Judge, _ loader: Loader, _ ruling: Ruling
    ) -> [ExceptionOption] {
        guard case .denial = ruling else { return [] }
        return ExceptionOption.all(
            for: target, settings: [.init(ATSKey.insecureHTTP, .flag(true))], judge: judge, loader: loader)
    }

    private static func place(of keyPath: String?, in declaration: Declaration) -> String? {
        guard let keyPath, let source = declaration.source else { return nil }
        return source + (declaration.line(of: keyPath).map { ":\($0)" } ?? "")
    }

    /// Source: openradar 29553892; ryanheise/just_audio 148 and 703 (observed).
    private static let simulatorNote =
        "In simulators http media was blocked although the dictionary has NSAllowsArbitraryLoadsForMedia (public reports; "
        + "docs/questions/simulator-and-device.md#media-over-http)."
    private static let webSocketNote = "ws and wss are judged like http and https (\(DocsSection.coverage), inferred)."
}
