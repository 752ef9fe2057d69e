// Loads addresses with URLSession under the dictionary of its own Info.plist, and prints the results in the format of
// `nscurl --ats-diagnostics`, which `atsgate evidence read` understands (docs/law/nscurl.md). The system's own log
// lines go to standard error if CFNETWORK_DIAGNOSTICS and ACTIVITY_LOG_STDERR are 1 (docs/device-evidence.md).
//
//   Witness NAME PROXY FILE [SECONDS]
//
// NAME is a title for the dictionary. PROXY is HOST:PORT of a gate in witness mode, or - for none. FILE has one address
// per line; one that begins with "direct " uses no proxy. SECONDS is the time limit of a load, by default 15.
// Exit: 0 if every address was tried, whatever the result; 64 for a wrong argument, 66 if FILE cannot be read.
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The addresses to load, and the proxy.
struct Order {
    struct Target {
        let url: URL
        let isDirect: Bool
    }

    struct Mistake: Error {
        let words: String
        /// An exit code of sysexits.h.
        let status: Int32
    }

    let name: String
    let proxy: (host: String, port: Int)?
    let targets: [Target]
    /// The time limit of one load, in seconds.
    let seconds: Double

    init(_ arguments: [String]) throws {
        guard 3...4 ~= arguments.count else { throw Mistake(words: "NAME PROXY FILE [SECONDS]", status: 64) }
        name = arguments[0]
        proxy = try Order.proxy(arguments[1])
        targets = try Order.targets(in: arguments[2])
        guard let seconds = arguments.count > 3 ? Double(arguments[3]) : 15, seconds > 0 else {
            throw Mistake(words: "\(arguments[3]) is no number of seconds", status: 64)
        }
        self.seconds = seconds
    }

    private static func proxy(_ text: String) throws -> (host: String, port: Int)? {
        if text == "-" { return nil }
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]), 1...65_535 ~= port else {
            throw Mistake(words: "\(text) is no HOST:PORT, and not -", status: 64)
        }
        return (String(parts[0]), port)
    }

    private static func targets(in path: String) throws -> [Target] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw Mistake(words: "cannot read \(path)", status: 66)
        }
        return try text.split(separator: "\n").map { line in
            let isDirect = line.hasPrefix("direct ")
            let address = String(isDirect ? line.dropFirst("direct ".count) : line)
            guard let url = URL(string: address), url.host != nil else {
                throw Mistake(words: "\(path): \(address) is no address", status: 64)
            }
            return Target(url: url, isDirect: isDirect)
        }
    }
}

/// Loads one address after the other, each in its own session, so that no connection is reused. Unchecked: a lock
/// protects the only mutable state.
final class Witness: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let order: Order
    private let ended = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var error: NSError?

    init(_ order: Order) {
        self.order = order
    }

    func run() {
        print("Starting ATS Diagnostics\n")
        for target in order.targets { tell(target, load(target)) }
    }

    /// - Returns: nil if the task ended without an error, like nscurl also for an answer 500.
    private func load(_ target: Order.Target) -> NSError? {
        let session = URLSession(configuration: configuration(target), delegate: self, delegateQueue: nil)
        lock.withLock { error = nil }
        let task = session.dataTask(with: target.url)
        task.resume()
        ended.wait()
        session.finishTasksAndInvalidate()
        return lock.withLock { error }
    }

    private func configuration(_ target: Order.Target) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = order.seconds
        configuration.timeoutIntervalForResource = order.seconds
        var proxies: [AnyHashable: Any] = [:]
        if let proxy = order.proxy, !target.isDirect {
            for scheme in ["HTTP", "HTTPS"] {
                proxies[scheme + "Enable"] = 1
                proxies[scheme + "Proxy"] = proxy.host
                proxies[scheme + "Port"] = proxy.port
            }
        }
        // An empty dictionary means no proxy, whatever the system's settings are.
        configuration.connectionProxyDictionary = proxies
        return configuration
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError failure: Error?) {
        lock.withLock { error = failure.map { $0 as NSError } }
        ended.signal()
    }

    private func tell(_ target: Order.Target, _ error: NSError?) {
        let rule = String(repeating: "=", count: 80)
        print(
            """
            Configuring ATS Info.plist keys and displaying the result of HTTPS loads to \(target.url.absoluteString).
            A test will "PASS" if URLSession:task:didCompleteWithError: returns a nil error.
            \(rule)

            Witness of \(system)\(target.isDirect ? ", without a proxy" : "")

            ---
            \(order.name)
            ATS Dictionary:
            \(dictionary)
            """)
        if let error {
            print("Result : FAIL\nError : \(error)\n---\n")
        } else {
            print("Result : PASS\n---\n")
        }
    }

    private var system: String {
        let version = ProcessInfo.processInfo.operatingSystemVersionString
        #if os(macOS)
        return "macOS \(version)"
        #elseif os(iOS)
        return "iOS \(version)"
        #else
        return version
        #endif
    }

    /// The dictionary as an old-style property list.
    private var dictionary: String {
        let value = Bundle.main.object(forInfoDictionaryKey: "NSAppTransportSecurity")
        return (value as? NSDictionary).map { "\($0)" } ?? "{\n}"
    }
}

setvbuf(stdout, nil, _IOLBF, 0)
do {
    Witness(try Order(Array(CommandLine.arguments.dropFirst()))).run()
} catch let mistake as Order.Mistake {
    FileHandle.standardError.write(Data("witness: \(mistake.words)\n".utf8))
    exit(mistake.status)
}
