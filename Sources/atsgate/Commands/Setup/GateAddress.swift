import ArgumentParser
import Text

/// The `HOST:PORT` of a gate that clients use.
struct GateAddress: ExpressibleByArgument, Sendable {
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        guard let authority = try? Authority(argument[...]), let port = authority.port else { return nil }
        self.init(host: authority.host, port: port)
    }

    var authority: Authority { Authority(host: host, port: port) }
    var defaultValueDescription: String { "\(authority)" }
}
