import ArgumentParser
import Dispatch
import Foundation
import NetLoop

/// Idle tunnels.
struct IdleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle",
        abstract: "Opens tunnels and holds them until standard input closes, or until SIGINT or SIGTERM.",
        discussion: "Prints one line when all are open or have failed, and one with the rest at the end.")

    @OptionGroup var aim: AimOptions

    @Option(help: "Tunnels.")
    var count = 1_000

    @Flag(help: "Stop after CONNECT.")
    var noTls = false

    @Flag(help: "Send one load on each first.")
    var ask = false

    func validate() throws {
        guard !(ask && noTls) else { throw ValidationError("use --ask or --no-tls, not both") }
    }

    func run() throws {
        let scripts = try aim.scripts(shakesHands: !noTls)
        let run = try Run(Plan(scripts: scripts, manner: .hold(asks: ask), connections: count))
        let ended = DispatchSemaphore(value: 0)
        let signals = SignalWatcher([SIGINT, SIGTERM]) { _ in ended.signal() }
        Thread.detachNewThread {
            while readLine() != nil {}
            ended.signal()
        }
        run.measure(seconds: Self.patienceSeconds).printAsLine()
        ended.wait()
        signals.stop()
        run.remaining().printAsLine()
    }

    private static let patienceSeconds = 60.0
}
