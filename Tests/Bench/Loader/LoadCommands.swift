import ArgumentParser
import Foundation

/// Keep-alive loads over a number of connections, as fast as the answers come.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Keep-alive loads, one after the other on each connection.")

    @OptionGroup var aim: AimOptions
    @OptionGroup var pace: PaceOptions

    func run() throws {
        try Run(pace.plan(aim, .keepAlive)).measure(seconds: pace.seconds).printAsLine()
    }
}

/// A connection for each load.
struct FreshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fresh", abstract: "A new connection, tunnel and handshake for each load.")

    @OptionGroup var aim: AimOptions
    @OptionGroup var pace: PaceOptions

    @Option(help: "Use this many host names in turn: h1, h2 ... below the URL's.")
    var names: Int?

    func validate() throws {
        guard names ?? 1 > 0 else { throw ValidationError("--names must be above 0") }
    }

    func run() throws {
        try Run(pace.plan(aim, .fresh, names: names)).measure(seconds: pace.seconds).printAsLine()
    }
}

/// A connection and a load for each of many host names.
struct NamesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "names", abstract: "One new connection and one load for each host h1, h2 ... below the URL's.")

    @OptionGroup var aim: AimOptions

    @Option(help: "Host names.")
    var count = 500

    @Option(help: "Connections at a time.")
    var connections = 16

    @Option(help: "Give up after this many seconds.")
    var seconds: Double = 60

    @Option(help: "Expected bytes of every answer.")
    var size: Int64?

    func validate() throws {
        guard count > 0, connections > 0, seconds > 0 else { throw ValidationError("numbers must be above 0") }
    }

    func run() throws {
        let scripts = try aim.scripts(Talk(expectedBytes: size), names: count)
        try Run(Plan(scripts: scripts, manner: .each, connections: connections))
            .measure(seconds: seconds).printAsLine()
    }
}

/// One large body.
struct BodyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "body", abstract: "One download, or one upload with --upload.")

    @OptionGroup var aim: AimOptions

    @Option(help: "Expected bytes of the answer.")
    var size: Int64?

    @Option(help: "Send this many bytes with PUT.")
    var upload: Int64?

    @Option(help: "Give up after this many seconds.")
    var seconds: Double = 300

    @Option(help: "Stop reading for this many seconds after the head of the answer.")
    var stall: Int?

    func run() throws {
        let talk = Talk(expectedBytes: size, uploadBytes: upload, stall: stall.map { .seconds($0) })
        let figures = try Run(Plan(scripts: aim.scripts(talk), manner: .once)).measure(seconds: seconds)
        figures.printAsLine()
        guard figures.requests == 1, figures.bad == 0 else { throw ExitCode.failure }
    }
}

/// Measures when a starting server answers.
struct FirstCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "first", abstract: "Repeats a request until a good answer arrives, and prints the time.",
        discussion: "Prints a line when it starts, and one with the answer's time in microseconds since 1970.")

    @OptionGroup var aim: AimOptions

    @Option(help: "Give up after this many seconds.")
    var seconds: Double = 20

    func run() throws {
        let run = try Run(Plan(scripts: aim.scripts(), manner: .first))
        FileHandle.standardOutput.write(Data("{\"asking\":true}\n".utf8))
        let figures = run.measure(seconds: seconds)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        guard figures.requests == 1 else { throw ExitCode.failure }
        print("{\"answeredAt\":\(Int(time.tv_sec) * 1_000_000 + time.tv_nsec / 1_000)}")
    }
}
