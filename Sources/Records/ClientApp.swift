public import ATSPolicy
import Text

/// The app that sent a load, by its User-Agent.
///
/// CFNetwork writes the name of the app's bundle as the first product, with percent encoding: `My%20App/1 CFNetwork/3860
/// Darwin/25.0.0`. Source: matomo-org/device-detector and ua-parser/uap-core, their public test fixtures;
/// docs/law/loaders.md#user-agent. An app may write any other User-Agent, so the name is evidence, not proof.
public enum ClientApp {
    /// The name; nil without a User-Agent.
    ///
    /// - Parameters:
    ///   - agent: as sent.
    ///   - program: the program that was recognized. A browser engine's User-Agent begins with Mozilla in all apps, so
    ///     that only this program can name it.
    public static func name(ofAgent agent: String?, program: ClientProgram?) -> String? {
        guard let agent else { return nil }
        guard !agent.hasPrefix(engine + "/") else { return program?.rawValue ?? webView }
        let product = agent.prefix { $0 != "/" }
        return product.isEmpty ? nil : decoded(product)
    }

    /// A pattern in the form in which CFNetwork writes names: everything but letters and digits of ASCII and the four
    /// marks of RFC 3986 section 2.3 is percent-encoded; `*` and `?` keep their meaning.
    public static func encoded(_ pattern: String) -> String {
        pattern.unicodeScalars.map { scalar in
            isPlain(scalar) || scalar == "*" || scalar == "?"
                ? String(scalar) : String(scalar).utf8.map { "%" + $0.hexadecimal.uppercased() }.joined()
        }.joined()
    }

    /// The text, unless its percent encoding is invalid.
    private static func decoded(_ product: Substring) -> String {
        guard product.utf8.contains(UInt8(ascii: "%")) else { return String(product) }
        var bytes: [UInt8] = []
        var rest = product.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                return String(product)
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self) ?? String(product)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
        default: false
        }
    }

    /// The name of a web view, whose User-Agent names no app.
    public static let webView = "web view"
    /// The first product of every browser engine.
    public static let engine = "Mozilla"
}
