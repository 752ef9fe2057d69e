import Foundation
import Onboarding
import Testing

@Suite("configuration profile")
struct ConfigurationProfileTests {
    private static let certificate = PublicCertificate(
        name: "atsgate <local> & \"CA\"", der: [0x30, 0x03, 0x02, 0x01, 0x2A], pem: "",
        fingerprint: String(repeating: "00ff17", count: 10) + "c0de")

    private func members(of certificate: PublicCertificate = certificate) throws -> [String: Any] {
        let text = ConfigurationProfile(certificate).text
        let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        return try #require(list as? [String: Any])
    }

    private func payload(of certificate: PublicCertificate = certificate) throws -> [String: Any] {
        let payloads = try #require(try members(of: certificate)["PayloadContent"] as? [[String: Any]])
        #expect(payloads.count == 1)
        return try #require(payloads.first)
    }

    /// Source: apple/device-management, mdm/profiles/TopLevel.yaml: the required keys and the optional ones used here,
    /// with their types. The profile has no other keys.
    @Test("the top level of the profile has Apple's required keys, with their types and allowed values")
    func topLevel() throws {
        let profile = try members()
        #expect(profile["PayloadType"] as? String == "Configuration")
        #expect(profile["PayloadVersion"] as? Int == 1)
        #expect(profile["PayloadIdentifier"] as? String == "test.atsgate.ca.00ff1700ff1700ff")
        #expect(profile["PayloadUUID"] as? String == "00FF1700-FF17-80FF-9700-FF1700FF1700")
        #expect(profile["PayloadDisplayName"] as? String == "atsgate <local> & \"CA\"")
        #expect((profile["PayloadDescription"] as? String)?.contains("SHA-256 00:FF:17:") == true)
        #expect(profile["PayloadOrganization"] as? String == "atsgate")
        #expect(profile["PayloadRemovalDisallowed"] as? Bool == false)
        #expect(profile["PayloadContent"] is [Any])
        #expect(profile.count == 9)
    }

    /// Source: apple/device-management, mdm/profiles/com.apple.security.root.yaml and CommonPayloadKeys.yaml.
    @Test("the only payload is a root certificate with the keys that Apple documents")
    func rootPayload() throws {
        let payload = try payload()
        #expect(payload["PayloadType"] as? String == "com.apple.security.root")
        #expect(payload["PayloadVersion"] as? Int == 1)
        #expect(payload["PayloadIdentifier"] as? String == "test.atsgate.ca.00ff1700ff1700ff.root")
        #expect(UUID(uuidString: payload["PayloadUUID"] as? String ?? "") != nil)
        #expect(payload["PayloadDisplayName"] as? String == "atsgate <local> & \"CA\"")
        #expect(payload["PayloadDescription"] is String)
        #expect(payload["PayloadCertificateFileName"] as? String == "atsgate-ca.cer")
        #expect(payload["PayloadContent"] as? Data == Data([0x30, 0x03, 0x02, 0x01, 0x2A]))
        #expect(payload.count == 8)
    }

    @Test("identifiers depend only on the CA: stable for one CA, different for another, and all distinct")
    func identifiers() throws {
        let other = PublicCertificate(
            name: "other", der: [1], pem: "",
            fingerprint: String(repeating: "0123456789abcdef", count: 2) + String(repeating: "ef", count: 16))
        let first = ConfigurationProfile(Self.certificate).text
        #expect(first == ConfigurationProfile(Self.certificate).text)
        let uuids = try [Self.certificate, other].flatMap {
            [try members(of: $0)["PayloadUUID"] as? String, try payload(of: $0)["PayloadUUID"] as? String]
        }
        #expect(Set(uuids).count == 4)
        #expect(!uuids.contains(nil))
    }
}
