import ArgumentParser
import Foundation
import TLSEngine

/// Puts load on a proxy and prints the results as one line of JSON on standard output.
@main
struct Loader: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loader",
        abstract: "Puts load on a proxy, or on an origin itself, and prints the results.",
        subcommands: [
            LoadCommand.self, FreshCommand.self, NamesCommand.self, IdleCommand.self, BodyCommand.self,
            FirstCommand.self, LawCommand.self, StoreCommand.self, ServerCommand.self, HostileCommand.self,
        ])
}

/// The destination of loads.
struct AimOptions: ParsableArguments {
    @Option(help: "http: in absolute form through a proxy; https: by CONNECT, with a handshake inside.")
    var url: String

    @Option(help: ArgumentHelp("The proxy; by default, connect directly to the origin.", valueName: "host:port"))
    var proxy: String?

    @Option(help: ArgumentHelp("Connect here instead of to the URL's host and port.", valueName: "host:port"))
    var connectTo: String?

    @Flag(name: .customLong("http2"), help: "Use HTTP/2 for https URLs, one stream at a time on each connection.")
    var isHTTP2 = false

    func validate() throws {
        guard !isHTTP2 || url.hasPrefix("https:") else { throw ValidationError("--http2 needs an https URL") }
    }

    /// Returns one script, or one for each of `names` hosts: h1, h2 and so on, below the URL's.
    ///
    /// - Throws: `ValidationError` for an invalid address, and errors of the TLS library.
    func scripts(_ talk: Talk = Talk(), names: Int? = nil, shakesHands: Bool = true) throws -> [RequestScript] {
        guard let target = Target(url) else { throw ValidationError("no http or https URL: \(url)") }
        let route: RequestScript.Route
        switch (proxy, connectTo) {
        case (let proxy?, nil): route = .proxy(try Endpoint(argument: proxy))
        case (nil, let place?): route = .direct(try Endpoint(argument: place))
        case (nil, nil): route = .direct(Endpoint(host: target.host, port: target.port))
        case (.some, .some): throw ValidationError("use --proxy or --connect-to, not both")
        }
        var talk = talk
        talk.isHTTP2 = isHTTP2
        let tls = shakesHands ? try OriginTLSContext(offer: .modern) : nil
        let targets = names.map { (1...$0).map { target.below("h\($0)") } } ?? [target]
        return targets.map { RequestScript(to: $0, by: route, tls: tls, talk) }
    }
}

/// The number of connections and loads, and the duration.
struct PaceOptions: ParsableArguments {
    @Option(help: "Connections at a time.")
    var connections = 32

    @Option(help: "Seconds to measure, once all connections are open.")
    var seconds: Double = 5

    @Option(help: "Threads.")
    var loops = 1

    @Option(help: "Expected bytes of every answer.")
    var size: Int64?

    @Option(help: "End after this many good answers on each thread.")
    var loads: Int?

    @Option(help: "Milliseconds between an answer and the next load of its connection.")
    var pause: Int?

    @Flag(help: "Wait for the loads in flight when the time is up.")
    var finishLoads = false

    /// - Parameter names: as for ``AimOptions/scripts(_:names:shakesHands:)``, which also has the errors.
    func plan(_ aim: AimOptions, _ manner: Manner, names: Int? = nil) throws -> Plan {
        let scripts = try aim.scripts(Talk(expectedBytes: size), names: names)
        return Plan(
            scripts: scripts, manner: manner, connections: connections, loops: loops, loads: loads,
            pause: pause.map { .milliseconds($0) }, finishesLoads: finishLoads)
    }

    func validate() throws {
        guard connections > 0, seconds > 0, loops > 0, loads ?? 1 > 0, pause ?? 1 > 0 else {
            throw ValidationError("numbers must be above 0")
        }
    }
}

extension Endpoint {
    /// - Throws: `ValidationError` unless it is `HOST:PORT`.
    init(argument: String) throws {
        let parts = argument.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]) else { throw ValidationError("no HOST:PORT: \(argument)") }
        self.init(host: String(parts[0]), port: port)
    }
}
