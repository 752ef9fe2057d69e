public import ArgumentParser
public import Diagnosis
import Files
import Foundation
import Reporting
import Text

/// Options to accept known findings, for all commands that can fail because of findings.
struct BaselineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Accept the findings in this file, fail for others.",
            discussion: """
                One host and rule per line; # begins a comment. Entries that are no longer found, and those of hosts \
                that were not loaded, are listed.
                """,
            valueName: "file"))
    var baseline: String?

    @Option(
        help: ArgumentHelp(
            "Accept the current findings: write them to this file.", valueName: "file"))
    var writeBaseline: String?

    /// True if a baseline decides instead of the number of violations.
    var isGiven: Bool { baseline != nil || writeBaseline != nil }

    /// The rules for the loads, with the known findings of `--baseline`. Called first, so that errors in files show
    /// early.
    ///
    /// - Throws: ``CommandFailure`` with 65, and with 74 if a file cannot be written.
    func rules(failOn: FailOn, needsLoads: Bool = true) throws(CommandFailure) -> JudgementRules {
        var rules = JudgementRules(failOn: failOn, needsLoads: needsLoads)
        if let baseline { rules.known = .listed(try Self.read(baseline), file: baseline) }
        if let writeBaseline {
            try Output.check(writeBaseline)
            // All findings are accepted from now on.
            rules.known = .everything(file: writeBaseline)
        }
        return rules
    }

    /// Compares findings with known ones, prints the differences, and writes the requested file.
    ///
    /// - Parameter outcomes: how the loads of each host ended.
    /// - Throws: ``CommandFailure`` with 65 or 74.
    func settle(_ outcomes: [HostOutcome], by rules: JudgementRules) throws {
        guard isGiven else { return }
        var found: [Baseline.Entry: Int] = [:]
        for outcome in outcomes where rules.compared.counts(outcome.verdict, rule: outcome.rule) {
            found[Baseline.Entry(host: outcome.host, rule: outcome.rule), default: 0] += outcome.loads
        }
        let known = try baseline.map(Self.read)
        if let known, let baseline {
            let loaded = Set(outcomes.map { Baseline.Entry(host: $0.host, rule: nil).words[0] })
            StandardError.writeLine(Self.words(known.compare(found.keys), found, loaded: loaded, file: baseline))
        }
        guard let writeBaseline else { return }
        // Nothing was judged, so an earlier list is worth more.
        if let nothing = RunJudgement(outcomes, by: rules).nothingJudged {
            return StandardError.writeLine("atsgate: \(writeBaseline) is not written: \(nothing.sentence)")
        }
        // Comments of remaining entries are kept.
        let old = try known ?? (FileManager.default.fileExists(atPath: writeBaseline) ? Self.read(writeBaseline) : nil)
        let new = (old ?? Baseline()).replaced(by: found.keys)
        try WholeFile.write(new.text(title: Self.title), to: writeBaseline)
        StandardError.writeLine("atsgate: \(writeBaseline) now lists \(found.count)")
    }

    private static func read(_ path: String) throws(CommandFailure) -> Baseline {
        let text: String
        do { text = try InputFile.text(of: path) } catch {
            let isMissing = !FileManager.default.fileExists(atPath: path)
            throw .badInput(
                "\(path) cannot be read: \(error)" + (isMissing ? "; --write-baseline \(path) creates it" : ""))
        }
        do throws(BaselineFault) {
            return try Baseline(text: text, words: Baseline.Entry.wordsOfLoads, meaning: Baseline.Entry.init(written:))
        } catch {
            throw .badInput("\(path): \(error)")
        }
    }

    /// - Parameter loaded: the hosts of the loads; the findings about others may still exist.
    private static func words(
        _ comparison: Baseline.Comparison, _ found: [Baseline.Entry: Int], loaded: Set<String>, file: String
    ) -> String {
        let gone = comparison.gone.filter { loaded.contains($0.words[0]) }
        let notLoaded = comparison.gone.filter { !loaded.contains($0.words[0]) }
        let loads = comparison.known.reduce(0) { $0 + found[$1, default: 0] }
        let head =
            "atsgate: baseline \(file): \(comparison.new.count) new, \(comparison.known.count) known "
            + "(\(loads) \(loads == 1 ? "load" : "loads")), \(gone.count) gone"
            + (notLoaded.isEmpty ? "" : ", \(notLoaded.count) not loaded")
        let new = comparison.new.map { "atsgate:   new   \($0) (\(found[$0, default: 0]))" }
        let old =
            gone.map { "atsgate:   gone  \($0): remove it" }
            + notLoaded.map { "atsgate:   kept  \($0): not loaded in this run" }
        return ([head] + new + old).map(\.printable).joined(separator: "\n")
    }

    private static let title = "Blocked loads that atsgate accepts: host and rule."
}

extension FailOn: ExpressibleByArgument {
    /// The values, for the full help.
    static let details = """
        refused: those that a device cannot make because of ATS, trust or TLS; blocked: those of ATS and trust only; \
        any: also those that broke for other reasons.
        """
}
