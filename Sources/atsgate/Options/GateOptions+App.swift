import ATSPolicy
import ArgumentParser
import Foundation
import TLSEngine
import Text

/// What the app's own code does about certificates, beside its dictionary.
struct AppOptions: ParsableArguments {
    @Option(
        defaultAsFlag: TrustOverride.everywhere,
        parsing: .next,
        help: ArgumentHelp(
            "The app's own code accepts certificates that the system refuses: for these hosts, or for all.",
            discussion: """
                Hosts with commas between them, exact or *.example.com for all below. It counts only where ATS lets an \
                app do so: where an entry or NSAllowsArbitraryLoads switches it off. Records say that it was the app.
                """,
            valueName: "domain,..."))
    var appOverridesTrust: TrustOverride?

    @Option(
        help: ArgumentHelp(
            "The app's own code accepts only this identity from the host; repeatable, any of them will do.",
            discussion: "A certificate file (PEM or DER), or sha256/ and the Base64 of the public key's SHA-256.",
            valueName: "host=identity"),
        transform: PinnedIdentity.init(argument:))
    var appPin: [PinnedIdentity] = []

    /// The app's code as the law takes it.
    ///
    /// - Throws: ``CommandFailure`` with 65 when a certificate cannot be read.
    func trust() throws(CommandFailure) -> AppTrust {
        var pins: [AppPin] = []
        for pin in appPin { pins.append(try pin.pin()) }
        return AppTrust(override: appOverridesTrust?.override ?? .nowhere, pins: pins)
    }
}

/// What `--app-overrides-trust` takes.
enum TrustOverride: Sendable, Hashable {
    case everywhere
    case hosts([String])

    var override: AppTrust.Override {
        switch self {
        case .everywhere: .everywhere
        case .hosts(let hosts): .hosts(hosts.map { HostScope($0) })
        }
    }
}

extension TrustOverride: ExpressibleByArgument, CustomStringConvertible {
    /// `all`, or hosts with commas between them.
    init?(argument: String) {
        guard argument != "all" else {
            self = .everywhere
            return
        }
        let hosts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !hosts.isEmpty, hosts.allSatisfy({ (try? HostPattern(argument: $0)) != nil }) else { return nil }
        self = .hosts(hosts)
    }

    var description: String {
        switch self {
        case .everywhere: "all"
        case .hosts(let hosts): hosts.joined(separator: ",")
        }
    }
}

/// One `--app-pin HOST=IDENTITY`.
enum PinnedIdentity: Sendable, Hashable {
    case publicKey(AppPin)
    case certificate(host: String, path: String)

    /// `HOST=sha256/BASE64`, or `HOST=FILE`.
    init(argument: String) throws(ValueProblem) {
        guard let equals = argument.firstIndex(of: "=") else {
            throw ValueProblem("write HOST=FILE or HOST=sha256/BASE64")
        }
        let host = try HostPattern(argument: String(argument[..<equals])).text
        let identity = String(argument[argument.index(after: equals)...])
        guard !identity.isEmpty else { throw ValueProblem("write HOST=FILE or HOST=sha256/BASE64") }
        if let pin = AppPin(host: host, publicKey: identity) {
            self = .publicKey(pin)
        } else if identity.hasPrefix("sha256/") {
            throw ValueProblem("\(identity) is not sha256/ and 32 bytes in Base64")
        } else {
            self = .certificate(host: host, path: identity)
        }
    }

    /// - Throws: ``CommandFailure`` with 65 when the file holds no certificate.
    func pin() throws(CommandFailure) -> AppPin {
        switch self {
        case .publicKey(let pin): return pin
        case .certificate(let host, let path):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw .badInput("the certificate \(path) cannot be read")
            }
            // A PEM text is ASCII and begins with a dash or a remark; DER begins with a SEQUENCE (X.690 section 8.9).
            let isDER = data.first == 0x30
            let text = isDER ? data.pem : String(decoding: data, as: UTF8.self)
            guard let certificate = Certificate(pem: text) else {
                throw .badInput("\(path) holds no certificate in PEM or DER")
            }
            return AppPin(host: host, .certificate(sha256: certificate.facts.sha256))
        }
    }
}

extension Data {
    /// DER as the text that certificates are read from. Source: RFC 7468 section 5.
    fileprivate var pem: String {
        let lines = base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
    }
}
