#if DEBUG
import Foundation
import Network

/// Sends the loads of an app's sessions through atsgate, in debug builds only. Needs iOS 17 or macOS 14.
///
/// ATSGATE_PROXY is `http://HOST:PORT`: a listener of the gate, in the scheme's environment or as a launch argument
/// (`-ATSGATE_PROXY http://127.0.0.1:9811`). Without it, nothing changes.
///
///     let configuration = URLSessionConfiguration.default
///     DebugProxy.apply(to: configuration)
///     let session = URLSession(configuration: configuration)
enum DebugProxy {
    /// The listener's address; nil if none is set, or if it cannot be read.
    static let listener: NWEndpoint? = {
        let name = "ATSGATE_PROXY"
        let text = ProcessInfo.processInfo.environment[name] ?? UserDefaults.standard.string(forKey: name)
        guard let text, let url = URL(string: text), let host = url.host(), let number = url.port,
            let port = NWEndpoint.Port(rawValue: UInt16(clamping: number))
        else { return nil }
        return .hostPort(host: NWEndpoint.Host(host), port: port)
    }()

    /// Changes a configuration before its session is created. `URLSession.shared` cannot be changed.
    static func apply(to configuration: URLSessionConfiguration) {
        guard let listener else { return }
        var proxy = ProxyConfiguration(httpCONNECTProxy: listener)
        // A gate that does not answer must fail the test, and not let the load pass unjudged.
        proxy.allowFailover = false
        configuration.proxyConfigurations = [proxy]
    }
}
#endif
