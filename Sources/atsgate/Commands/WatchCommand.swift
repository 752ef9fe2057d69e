import ArgumentParser
import Dispatch
import Foundation
import NetLoop
import Records
import Reporting
import Text

/// Prints loads while another process records them.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints each new load of a store.",
        discussion: """
            Shows loads that are recorded from now on, and with --since also earlier ones. Waits for the store if it \
            does not exist yet. Ends with SIGINT or SIGTERM.

            Exit code: 0; 65 when the file cannot be read; 69 as for atsgate store.
            """)

    @OptionGroup(title: .inFullHelp("Files")) var store: StoreOption

    @Option(
        help: ArgumentHelp("Only loads of this recording.", valueName: "name"),
        completion: ShellCompletion.recordings.completion)
    var recording: [String] = []

    @OptionGroup(title: "Which loads") var selection: LoadSelection

    @Option(help: "short: a line for each load, repeats folded; apple: with the lines that a device logs.")
    var console = ConsoleStyle.short

    @Flag(help: "Print one record per line, as JSON.")
    var json = false

    func validate() throws { try RecordingChoice.checkOne(recording) }

    func run() throws {
        let path = store.choices.readPath
        guard let path else { throw CommandFailure.usage("no store to watch: --store none") }
        let stop = DispatchSemaphore(value: 0)
        let signals = SignalWatcher([SIGINT, SIGTERM]) { _ in stop.signal() }
        defer { signals.stop() }
        let isNew = ReadStores.address(of: path) == nil && access(path, F_OK) != 0
        guard let reader = try opened(path, until: stop) else { return }
        try remark(on: reader)
        // All loads of a new store were recorded after the start.
        let follower = PatientFollower(
            try StoreFollower(
                reader, matching: selection.filter(recordings: recording),
                fromStart: isNew || selection.since != nil))
        StandardError.writeLine("atsgate: watching \(path)")
        try json ? tellJSON(follower, until: stop) : tellLines(follower, until: stop)
    }

    /// Waits until the store exists.
    ///
    /// - Returns: nil if the command is stopped before.
    /// - Throws: ``StoreError``.
    private func opened(_ path: String, until stop: DispatchSemaphore) throws -> StoreReader? {
        guard ReadStores.address(of: path) == nil, access(path, F_OK) != 0 else { return try ReadStores.open(path) }
        StandardError.writeLine("atsgate: nothing recorded yet; waiting for \(path)")
        // After creating the file, a gate needs some time to create its tables.
        var looks = Self.looksAtNewStore
        while looks > 0 {
            if stop.wait(timeout: .now() + Self.interval) == .success { return nil }
            guard access(path, F_OK) == 0 else { continue }
            looks -= 1
            if let reader = try? ReadStores.open(path) { return reader }
        }
        return try ReadStores.open(path)
    }

    /// Prints a note for each unknown name: a future run may use it, or it is a typo.
    private func remark(on reader: StoreReader) throws {
        let names = try reader.recordings().map(\.name)
        for name in recording where !names.contains(name) {
            let hint = name.nearest(among: names).map { "; did you mean \($0)?" } ?? ""
            StandardError.writeLine("atsgate: note: there is no recording \(name) yet\(hint)")
        }
    }

    private func tellLines(_ follower: PatientFollower, until stop: DispatchSemaphore) throws {
        let printer = LoadPrinter(
            ConsoleTerminal(ConsoleWriter(descriptor: STDOUT_FILENO), descriptor: STDOUT_FILENO), style: console)
        repeat {
            var loads = try follower.next()
            while !loads.isEmpty {
                printer.add(loads)
                loads = try follower.next()
            }
            printer.printCollected()
        } while stop.wait(timeout: .now() + LoadPrinter.untilSecondEnds()) == .timedOut
        printer.end()
    }

    private func tellJSON(_ follower: PatientFollower, until stop: DispatchSemaphore) throws {
        try Output.withOutput(to: nil) { output in
            repeat {
                var loads = try follower.next()
                while !loads.isEmpty {
                    try output.write(loads.flatMap { Array((RecordJSON.text($0) + "\n").utf8) })
                    loads = try follower.next()
                }
            } while stop.wait(timeout: .now() + Self.interval) == .timedOut
        }
    }

    private static let looksAtNewStore = 25
    /// The time between two reads of the store.
    private static let interval = DispatchTimeInterval.milliseconds(200)
}

/// Waits while the server is unreachable, and reports that once.
private final class PatientFollower {
    private let follower: StoreFollower
    private var isAway = false

    init(_ follower: StoreFollower) {
        self.follower = follower
    }

    func next() throws -> [LoadRecord] {
        do {
            let loads = try follower.next()
            if isAway { StandardError.writeLine("atsgate: reconnected to the store") }
            isAway = false
            return loads
        } catch StoreError.unreachable(let store, let cause) {
            if !isAway { StandardError.writeLine("atsgate: \(store): \(cause); waiting for it".printable) }
            isAway = true
            return []
        }
    }
}
