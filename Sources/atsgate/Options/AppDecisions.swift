import ATSPolicy
import Foundation
import TLSEngine
import Text

/// The value of `--app-overrides-trust`: `all`, or hosts separated by commas.
struct TrustedHosts: Sendable, CustomStringConvertible {
    let override: AppTrust.Override
    /// As given.
    let description: String

    /// The value of the option without one.
    static let everywhere = TrustedHosts(override: .everywhere, description: "all")

    private init(override: AppTrust.Override, description: String) {
        self.override = override
        self.description = description
    }

    init(argument text: String) throws(ValueProblem) {
        guard text != "all" else {
            self = .everywhere
            return
        }
        var hosts: [HostPattern] = []
        for host in text.split(separator: ",", omittingEmptySubsequences: false) {
            hosts.append(try HostPattern(argument: String(host)))
        }
        self.init(override: .hosts(HostPatterns(of: hosts)), description: text)
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

    /// - Throws: ``CommandFailure`` with 65 if the file contains no certificate.
    func pin() throws(CommandFailure) -> AppPin {
        switch self {
        case .publicKey(let pin): return pin
        case .certificate(let host, let path):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw .badInput("the certificate \(path) cannot be read")
            }
            // PEM is ASCII text and begins with a dash or a remark; DER begins with a SEQUENCE (X.690 section 8.9).
            let isDER = data.first == 0x30
            let text = isDER ? data.pem : String(decoding: data, as: UTF8.self)
            guard let certificate = Certificate(pem: text) else {
                throw .badInput("\(path) contains no certificate in PEM or DER")
            }
            return AppPin(host: host, .certificate(sha256: certificate.facts.sha256))
        }
    }
}

extension Data {
    /// DER as PEM text. Source: RFC 7468 section 5.
    fileprivate var pem: String {
        let lines = base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
    }
}
