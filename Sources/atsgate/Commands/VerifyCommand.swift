import ArgumentParser
import Foundation
import Records
import Reporting
import Text

/// Checks an expectation of a UI test about the loads that it caused.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks an expectation about recorded loads.",
        usage: "atsgate verify [<options>] --expect <verdict>",
        discussion: """
            Waits for loads that the gate has not stored yet, for at most --within. Loads of the newest recording count, \
            or of --recording. allowed: at least one load matches, and none was blocked or failed. blocked: at least \
            one matching load was blocked. none: no load matches; this waits for --within and looks once more.

            Exit code: 0 when it is so; 1 when it is not; 3 when no load matches, although one was expected; 65 and 69 \
            when the store cannot be read.
            """)

    @OptionGroup(title: .inFullHelp("Files")) var store: StoreOption
    @OptionGroup var choice: RecordingChoice
    @OptionGroup(title: "Which loads") var selection: LoadSelection

    @Option(help: ArgumentHelp("The expected verdict.", valueName: "verdict"))
    var expect: LoadExpectation

    @Option(
        help: ArgumentHelp("How long loads are waited for: 500ms, 5s or 1m.", valueName: "time"),
        transform: { try TimeSpan($0) })
    var within = TimeSpan(Self.usualWait)

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() throws {
        guard let path = store.choices.readPath else {
            throw CommandFailure.usage("no store to verify: --store none")
        }
        let answer = try answer(in: path)
        let text = json ? answer.json.text : "\(answer.holds ? "ok" : "not so"): \(answer.sentence)"
        try Output.withOutput(to: nil) { try $0.write(Array((text + "\n").utf8)) }
        guard answer.holds else { throw ExitCode(answer.isEmpty && expect != .none ? 3 : 1) }
    }

    /// Reads the store again until the expectation holds or the time is over.
    private func answer(in path: String) throws -> ExpectationAnswer {
        let end = ContinuousClock.now + within.duration
        while true {
            let isLast = ContinuousClock.now >= end
            let reader = try ReadStores.open(path)
            let name = try choice.name(in: reader)
            let filter = selection.filter(recordings: name.map { [$0] } ?? [])
            let answer = ExpectationAnswer(expect, try reader.hosts(matching: filter))
            // Loads that were sent already may still come.
            if isLast || answer.holds && expect == .blocked || !answer.holds && expect == .none { return answer }
            if answer.holds, expect == .allowed { return try settled(answer, filter, path) }
            // A file reports no event for a new load of another process.
            Thread.sleep(forTimeInterval: Self.interval)
        }
    }

    /// Reads the store once more after the time in which a gate stores a load.
    private func settled(
        _ answer: ExpectationAnswer, _ filter: RecordFilter, _ path: String
    ) throws -> ExpectationAnswer {
        // As above: a file reports no event.
        Thread.sleep(forTimeInterval: Self.interval)
        return ExpectationAnswer(expect, try ReadStores.open(path).hosts(matching: filter))
    }

    /// A gate stores loads within a second.
    private static let usualWait = Duration.seconds(3)
    /// In seconds.
    private static let interval = 0.2
}
