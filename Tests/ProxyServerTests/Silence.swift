import NetLoop

/// A listener that never accepts: connections are established, but get no answer.
final class Silence {
    private let listener: Listener

    init() throws { listener = try Listener.open(host: "127.0.0.1", port: 0) }

    var port: Int { listener.port }

    deinit { listener.stop() }
}
