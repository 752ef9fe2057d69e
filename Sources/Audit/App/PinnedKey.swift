import ATSPolicy
import Foundation
import TLSEngine
import Text

/// One way in which an app pins a server, with the day on which it ends if the app's files show it.
public struct PinnedKey: Sendable, Hashable {
    /// The domain; for a certificate in the app its subject.
    public let name: String
    /// The place: a key of the Info.plist, or a file.
    public let place: String
    public let words: String
    /// Seconds since 1970; nil if no date is known.
    public let expires: Int64?

    /// `2027-03-01`; nil if no date is known.
    public var date: String? { expires.map { CivilDate(secondsSince1970: $0).description } }
}

/// A certificate file in an app: usually one that its code compares with the server's.
struct BundledCertificate: Sendable, Hashable {
    let path: String
    let subject: String
    let expires: Int64
    let key: String

    /// - Returns: nil if the bytes are not a certificate.
    init?(_ bytes: [UInt8], path: String) {
        let isPEM = URLScanner.find(Array("-----BEGIN CERTIFICATE-----".utf8), in: bytes, from: 0) != nil
        let pem =
            isPEM
            ? String(decoding: bytes, as: UTF8.self)
            : "-----BEGIN CERTIFICATE-----\n\(Data(bytes).base64EncodedString(options: .lineLength64Characters))\n"
                + "-----END CERTIFICATE-----\n"
        guard bytes.first == 0x30 || isPEM, let facts = Certificate(pem: pem)?.facts else { return nil }
        self.path = path
        subject = facts.commonName ?? facts.subject
        expires = facts.notAfter
        key = facts.spkiSHA256
    }

    /// Larger files are lists of roots, not pins.
    static let mostBytes = 64 << 10
}

extension PinnedKey {
    /// The pins of a dictionary, of TrustKit's configuration, and of certificates among the files.
    static func all(
        _ declaration: Declaration, _ root: PropertyNode?, _ certificates: [BundledCertificate], on profile: OSProfile
    ) -> [PinnedKey] {
        let ats = declaration.interpreted(for: profile).pins.filter(\.hasIdentities).map { pin in
            let keys = Set((pin.leafIdentities ?? []) + (pin.authorityIdentities ?? []))
            // The key of a certificate in the app shows the day on which that certificate ends.
            let known = certificates.filter { keys.contains($0.key) }.map(\.expires).min()
            return PinnedKey(
                name: pin.domain, place: ATSKey.pinnedDomains,
                words: DictionaryWords.count(keys.count, "key", "keys")
                    + (pin.includesSubdomains ? ", also for subdomains" : ""), expires: known)
        }
        return ats + trustKit(root)
            + certificates.map {
                PinnedKey(name: $0.subject, place: $0.path, words: "certificate in the app", expires: $0.expires)
            }
    }

    /// Source: TrustKit, "Getting Started": TSKPinnedDomains, TSKPublicKeyHashes, TSKExpirationDate.
    private static func trustKit(_ root: PropertyNode?) -> [PinnedKey] {
        guard case .dictionary(let top)? = root?.value,
            case .dictionary(let settings)? = top.last("TSKConfiguration")?.node.value,
            case .dictionary(let domains)? = settings.last("TSKPinnedDomains")?.node.value
        else { return [] }
        return domains.compactMap { domain in
            guard case .dictionary(let terms) = domain.node.value else { return nil }
            var count = 0
            if case .array(let hashes)? = terms.last("TSKPublicKeyHashes")?.node.value { count = hashes.count }
            var expires: Int64?
            if case .string(let text)? = terms.last("TSKExpirationDate")?.node.value { expires = seconds(of: text) }
            return PinnedKey(
                name: domain.key, place: "TSKPinnedDomains", words: DictionaryWords.count(count, "key", "keys"),
                expires: expires)
        }
    }

    /// Reads `2027-03-01`.
    private static func seconds(of text: String) -> Int64? {
        let parts = text.split(separator: "-").map { Int64($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2], 1970...9999 ~= year,
            1...12 ~= month, 1...31 ~= day
        else { return nil }
        return CivilDate.days(year: year, month: month, day: day) * Day.seconds
    }
}
