import ArgumentParser
import Foundation

/// Puts load on a proxy and tells what came back, as one line of JSON on standard output.
@main
struct Loader: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loader",
        abstract: "Puts load on a proxy, or on an origin itself, and tells what came back.",
        subcommands: [LoadCommand.self, FreshCommand.self, IdleCommand.self, BodyCommand.self, LawCommand.self])
}

/// Keep-alive loads over a number of connections, as fast as the answers come.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Keep-alive loads, one after the other on each connection.")

    @OptionGroup var aim: AimOptions
    @OptionGroup var pace: PaceOptions

    func run() throws {
        try Run(aim.errand(size: pace.size), manner: .keepAlive, connections: pace.connections, loops: pace.loops)
            .measure(seconds: pace.seconds).printAsLine()
    }
}

/// A connection for each load.
struct FreshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fresh", abstract: "A new connection, tunnel and handshake for each load.")

    @OptionGroup var aim: AimOptions
    @OptionGroup var pace: PaceOptions

    func run() throws {
        try Run(aim.errand(size: pace.size), manner: .fresh, connections: pace.connections, loops: pace.loops)
            .measure(seconds: pace.seconds).printAsLine()
    }
}

/// One large body.
struct BodyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "body", abstract: "One download, or one upload with --upload.")

    @OptionGroup var aim: AimOptions

    @Option(help: "Bytes that the answer must have.")
    var size: Int64?

    @Option(help: "Send so many bytes by PUT.")
    var upload: Int64?

    @Option(help: "Give up after so many seconds.")
    var seconds: Double = 300

    @Option(help: "Stop reading for so many seconds after the head of the answer.")
    var stall: Int?

    func run() throws {
        var errand = try aim.errand(size: size, upload: upload)
        errand.stall = stall.map { .seconds($0) }
        let figures = try Run(errand, manner: .once, connections: 1).measure(seconds: seconds)
        figures.printAsLine()
        guard figures.requests == 1, figures.bad == 0 else { throw ExitCode.failure }
    }
}

/// Where loads go.
struct AimOptions: ParsableArguments {
    @Option(help: "http: in absolute form through a proxy; https: by CONNECT, with a handshake inside.")
    var url: String

    @Option(help: ArgumentHelp("The proxy; without it, straight to the origin.", valueName: "host:port"))
    var proxy: String?

    @Option(help: ArgumentHelp("Connect here in place of the URL's host and port.", valueName: "host:port"))
    var connectTo: String?

    /// - Throws: `ValidationError` for an address that cannot be read.
    func errand(size: Int64? = nil, upload: Int64? = nil, shakesHands: Bool = true) throws -> Errand {
        guard let target = Target(url) else { throw ValidationError("no http or https URL: \(url)") }
        let route: Errand.Route
        switch (proxy, connectTo) {
        case (let proxy?, nil): route = .proxy(try Place(argument: proxy))
        case (nil, let place?): route = .direct(try Place(argument: place))
        case (nil, nil): route = .direct(Place(host: target.host, port: target.port))
        case (.some, .some): throw ValidationError("--proxy or --connect-to, not both")
        }
        return try Errand(
            to: target, by: route, expectedBytes: size, uploadBytes: upload, shakesHands: shakesHands)
    }
}

/// How much at a time, and for how long.
struct PaceOptions: ParsableArguments {
    @Option(help: "Connections at a time.")
    var connections = 32

    @Option(help: "Seconds to measure, once all connections stand.")
    var seconds: Double = 5

    @Option(help: "Threads.")
    var loops = 1

    @Option(help: "Bytes that every answer must have.")
    var size: Int64?

    func validate() throws {
        guard connections > 0, seconds > 0, loops > 0 else { throw ValidationError("numbers must be above 0") }
    }
}

extension Place {
    /// - Throws: `ValidationError` unless it is `HOST:PORT`.
    init(argument: String) throws {
        let parts = argument.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]) else { throw ValidationError("no HOST:PORT: \(argument)") }
        self.init(host: String(parts[0]), port: port)
    }
}
