import ArgumentParser
import Dispatch
import Foundation
import NetLoop
import Reporting
import Text

/// Tells loads while they are recorded, from another process than the gate's.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follows a store live: the lines of the gate's console, in another terminal.",
        discussion: """
            Tells what is recorded from now on, and with --since also what was. Ends with SIGINT or SIGTERM.

            Exit code: 0; 65 when the store can not be read.
            """)

    @OptionGroup var store: DeclaredOptions<StoreCatalogue>

    @Option(
        help: ArgumentHelp("Loads of this recording.", valueName: "name"),
        completion: Suggestion.recordings.completion)
    var recording: [String] = []

    @OptionGroup(title: "Which loads") var selection: LoadSelection

    @Option(help: "short: a line for each load, repeats folded; apple: with the lines that a device prints.")
    var console = ConsoleStyle.short

    @Flag(help: "One record per line, as JSON.")
    var json = false

    func validate() throws { try RecordingChoice.checkOne(recording) }

    func run() throws {
        let path = try store.choices().storePath
        guard let path else { throw CommandFailure.usage("there is no store to watch: --store none") }
        let stop = DispatchSemaphore(value: 0)
        let signals = SignalWatcher([SIGINT, SIGTERM]) { _ in stop.signal() }
        defer { signals.stop() }
        do {
            let follower = try StoreFollower(
                ReadStores.open(path), matching: selection.filter(recordings: recording),
                fromStart: selection.since != nil)
            StandardError.say("atsgate: watching \(path)")
            try json ? tellJSON(follower, until: stop) : tellLines(follower, until: stop)
        } catch let error as StoreError {
            throw CommandFailure(error)
        }
    }

    private func tellLines(_ follower: StoreFollower, until stop: DispatchSemaphore) throws {
        let teller = LoadTeller(
            ConsoleTerminal(ConsoleWriter(descriptor: STDOUT_FILENO), descriptor: STDOUT_FILENO), style: console)
        repeat {
            var loads = try follower.next()
            while !loads.isEmpty {
                for load in loads { try teller.add(load) }
                loads = try follower.next()
            }
            teller.tell()
        } while stop.wait(timeout: .now() + LoadTeller.untilSecondEnds()) == .timedOut
        teller.end()
    }

    private func tellJSON(_ follower: StoreFollower, until stop: DispatchSemaphore) throws {
        try Output.withOutput(to: nil) { output in
            repeat {
                var loads = try follower.next()
                while !loads.isEmpty {
                    try output.write(loads.flatMap { Array($0.json.utf8) + [UInt8(ascii: "\n")] })
                    loads = try follower.next()
                }
            } while stop.wait(timeout: .now() + Self.interval) == .timedOut
        }
    }

    /// Between two looks at the store.
    private static let interval = DispatchTimeInterval.milliseconds(200)
}
