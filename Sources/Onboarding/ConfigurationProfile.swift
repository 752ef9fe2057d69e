internal import Foundation
internal import Text

/// A configuration profile with one root certificate, which a device offers to install.
///
/// Two profiles of one CA are identical, because the identifiers are derived from its fingerprint. So installing again
/// replaces the profile, and another CA gets a separate one. The user who installed it may remove it. Sources
/// (documented): Apple, Device Management, "TopLevel", "CommonPayloadKeys" and "CertificateRoot", published as
/// apple/device-management, mdm/profiles, read 2026-11-22.
public struct ConfigurationProfile: Sendable {
    /// The media type of the file. Source: Apple, Configuration Profile Reference, "Configuration Profile Delivery".
    public static let mediaType = "application/x-apple-aspen-config"

    private let certificate: PublicCertificate

    public init(_ certificate: PublicCertificate) { self.certificate = certificate }

    /// An XML property list.
    public var text: String {
        let identifier = "test.atsgate.ca.\(certificate.fingerprint.prefix(16))"
        let explanation =
            "Lets atsgate, the App Transport Security test proxy that made this certificate, read this device's "
            + "HTTPS traffic while it is set as the proxy. SHA-256 \(certificate.spelledFingerprint). "
            + "Remove it when testing is over."
        let payload = Self.dictionary(
            [
                ("PayloadCertificateFileName", .string("atsgate-ca.cer")),
                ("PayloadContent", .data(certificate.der)),
                ("PayloadDescription", .string("The root certificate of this atsgate.")),
                ("PayloadDisplayName", .string(certificate.name)),
                ("PayloadIdentifier", .string(identifier + ".root")),
                ("PayloadType", .string("com.apple.security.root")),
                ("PayloadUUID", .string(Self.uuid(certificate.fingerprint.suffix(32)))),
                ("PayloadVersion", .integer(1)),
            ])
        let profile = Self.dictionary(
            [
                ("PayloadContent", .array([payload])),
                ("PayloadDescription", .string(explanation)),
                ("PayloadDisplayName", .string(certificate.name)),
                ("PayloadIdentifier", .string(identifier)),
                ("PayloadOrganization", .string("atsgate")),
                ("PayloadRemovalDisallowed", .boolean(false)),
                ("PayloadType", .string("Configuration")),
                ("PayloadUUID", .string(Self.uuid(certificate.fingerprint.prefix(32)))),
                ("PayloadVersion", .integer(1)),
            ])
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            \(profile)</plist>

            """
    }

    /// A value in a property list.
    private enum Value {
        case string(String), integer(Int), boolean(Bool), data([UInt8]), array([String])

        var text: String {
            switch self {
            case .string(let text): "<string>\(XMLText.escaped(text))</string>\n"
            case .integer(let number): "<integer>\(number)</integer>\n"
            case .boolean(let isTrue): isTrue ? "<true/>\n" : "<false/>\n"
            case .data(let bytes): "<data>\(Data(bytes).base64EncodedString())</data>\n"
            case .array(let elements): "<array>\n\(elements.joined())</array>\n"
            }
        }
    }

    private static func dictionary(_ members: [(String, Value)]) -> String {
        "<dict>\n" + members.map { "<key>\($0)</key>\n\($1.text)" }.joined() + "</dict>\n"
    }

    /// A UUID of version 8, whose bits an application may choose. Source: RFC 9562 section 5.8.
    ///
    /// - Parameter digits: 32 hexadecimal digits.
    private static func uuid(_ digits: Substring) -> String {
        var digits = Array(digits.uppercased())
        digits[12] = "8"
        let variant = (digits[16].hexDigitValue ?? 0) & 0b0011 | 0b1000
        digits[16] = Character(String(variant, radix: 16, uppercase: true))
        var parts: [String] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(String(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }
}
