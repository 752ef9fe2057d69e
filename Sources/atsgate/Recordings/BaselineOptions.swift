public import ArgumentParser
public import Diagnosis
import Files
import Foundation
import Reporting
import Text

/// What is known and let pass: options of all commands that can fail by what they find.
struct BaselineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Accept what this file lists, and fail only for what is new.",
            discussion:
                "One host and rule a line; # begins a comment. Entries that are gone are listed, so that the file shrinks.",
            valueName: "file"))
    var baseline: String?

    @Option(help: ArgumentHelp("Write what is found now to such a file, and accept it.", valueName: "file"))
    var writeBaseline: String?

    /// A baseline decides, not the mere number of violations.
    var isAsked: Bool { baseline != nil || writeBaseline != nil }

    /// What counts, with what the file of `--baseline` knows. Asked before anything else is done.
    ///
    /// - Throws: ``CommandFailure`` with 65, and with 74 where no file can be written.
    func rules(failOn: FailOn, needsLoads: Bool = true) throws(CommandFailure) -> JudgementRules {
        var rules = JudgementRules(failOn: failOn, needsLoads: needsLoads)
        if let baseline { rules.known = .listed(try Self.read(baseline), file: baseline) }
        if let writeBaseline {
            try Output.check(writeBaseline)
            // Whatever is found is known from now on.
            rules.known = .everything(file: writeBaseline)
        }
        return rules
    }

    /// Compares what was found with what is known, tells what differs, and writes the file that is asked for.
    ///
    /// - Parameter outcomes: how the loads of each host ended.
    /// - Throws: ``CommandFailure`` with 65 or 74.
    func settle(_ outcomes: [HostOutcome], by rules: JudgementRules) throws {
        guard isAsked else { return }
        var found: [Baseline.Entry: Int] = [:]
        for outcome in outcomes where rules.compared.counts(outcome.verdict) {
            found[Baseline.Entry(host: outcome.host, rule: outcome.rule), default: 0] += outcome.loads
        }
        let known = try baseline.map(Self.read)
        if let known, let baseline {
            StandardError.say(Self.words(known.compare(found.keys), found, file: baseline))
        }
        guard let writeBaseline else { return }
        // Of what nobody judged nothing is known: a list of before is worth more.
        if let nothing = RunJudgement(outcomes, by: rules).nothingJudged {
            return StandardError.say("atsgate: \(writeBaseline) is not written: \(nothing.sentence)")
        }
        // Comments of what stays are kept.
        let old = try known ?? (FileManager.default.fileExists(atPath: writeBaseline) ? Self.read(writeBaseline) : nil)
        let new = (old ?? Baseline()).replaced(by: found.keys)
        try WholeFile.write(new.text(title: Self.title), to: writeBaseline)
        StandardError.say("atsgate: \(writeBaseline) lists \(found.count) now")
    }

    private static func read(_ path: String) throws(CommandFailure) -> Baseline {
        let text: String
        do { text = try InputFile.text(of: path) } catch {
            throw .badInput("\(path) cannot be read: \(error)")
        }
        do throws(BaselineFault) {
            return try Baseline(text: text, words: Baseline.Entry.wordsOfLoads, meaning: Baseline.Entry.init(written:))
        } catch {
            throw .badInput("\(path): \(error)")
        }
    }

    private static func words(
        _ comparison: Baseline.Comparison, _ found: [Baseline.Entry: Int], file: String
    ) -> String {
        let loads = comparison.known.reduce(0) { $0 + found[$1, default: 0] }
        let head =
            "atsgate: baseline \(file): \(comparison.new.count) new, \(comparison.known.count) known "
            + "(\(loads) \(loads == 1 ? "load" : "loads")), \(comparison.gone.count) gone"
        let new = comparison.new.map { "atsgate:   new   \($0) (\(found[$0, default: 0]))" }
        let gone = comparison.gone.map { "atsgate:   gone  \($0): take it out" }
        return ([head] + new + gone).map(\.printable).joined(separator: "\n")
    }

    private static let title = "Refused loads that are known to atsgate: host and rule."
}

extension FailOn: ExpressibleByArgument {}
