import ATSPolicy
import Foundation
import TLSEngine
import Testing

/// Names in a certificate, which are parsed in place, or by OpenSSL if they are encoded unusually.
@Suite("alternative names")
struct AlternativeNamesTests {
    @Test("names of any length are read", arguments: [1, 126, 127, 128, 129, 255, 256, 257, 700])
    func lengths(length: Int) throws {
        let names = [String(repeating: "n", count: length), "a.test"]
        let facts = try CertificateRecipe(
            commonName: "a.test", dnsNames: names, ipAddresses: ["192.0.2.7", "2001:db8::7"], key: .ed25519,
            notBefore: 0, notAfter: 86_400
        ).issued(by: nil).certificate.facts
        #expect(facts.dnsNames == names)
        #expect(facts.ipAddresses == ["192.0.2.7", "2001:db8::7"])
        #expect(facts.unkeptNames == nil)
    }

    @Test("any number of names is read, also beyond 64 KiB", arguments: [1, 65, 10_000, 31_000])
    func numbers(count: Int) throws {
        let facts = try CertificateRecipe(
            commonName: "a", dnsNames: Array(repeating: "a", count: count), key: .ed25519, notBefore: 0,
            notAfter: 86_400
        ).issued(by: nil).certificate.facts
        #expect(facts.dnsNames.count == min(count, CertificateFacts.namesKept))
        #expect(facts.unkeptNames ?? 0 == max(0, count - CertificateFacts.namesKept))
    }

    @Test("a certificate without names has none")
    func none() throws {
        var recipe = CertificateRecipe(commonName: "a.test", dnsNames: ["a.test"], notBefore: 0, notAfter: 86_400)
        recipe.includeSAN = false
        #expect(try recipe.issued(by: nil).certificate.facts.hasSubjectAltName == false)
    }

    @Test("names between other kinds of names, which are nested structures, are read")
    func mixed() throws {
        let facts = try #require(Certificate(pem: Self.mixed)).facts
        #expect(facts.dnsNames == ["a.test", "b.test"])
        #expect(facts.ipAddresses == ["192.0.2.7"])
    }

    @Test("an extension with changed bytes yields names or none, never a trap")
    func changed() throws {
        let plain = try CertificateRecipe(
            commonName: "a.test", dnsNames: ["a.test", "b.test"], ipAddresses: ["192.0.2.7"], key: .ed25519,
            notBefore: 0, notAfter: 86_400
        ).issued(by: nil).certificate
        // 2.5.29.17, in DER.
        let start = try #require(
            plain.der.indices.dropLast(5).first { plain.der[$0...].starts(with: [0x55, 0x1D, 0x11]) })
        var whole = 0
        for place in start + 5..<start + 5 + 24 {
            for value in [UInt8(0), 0x01, 0x30, 0x7F, 0x80, 0x81, 0x82, 0x87, 0xFF] {
                var bytes = plain.der
                bytes[place] = value
                guard let facts = Self.certificate(of: bytes)?.facts else { continue }
                #expect(facts.dnsNames.count <= 3 && facts.ipAddresses.count <= 2)
                if facts.dnsNames == ["a.test", "b.test"] { whole += 1 }
            }
        }
        #expect(whole > 0)
    }

    private static func certificate(of der: [UInt8]) -> Certificate? {
        let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Certificate(pem: "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n")
    }

    /// openssl req -x509 -newkey ed25519, subjectAltName = otherName:1.2.3.4;UTF8:other, DNS:a.test, dirName,
    /// email:me@a.test, URI:https://a.test/, IP:192.0.2.7, RID:1.2.3, DNS:b.test
    private static let mixed = """
        -----BEGIN CERTIFICATE-----
        MIIBdTCCASegAwIBAgIUQrNWiet6GtWt9HnZ2CDm9XvL0YwwBQYDK2VwMBUxEzAR
        BgNVBAMMCm1peGVkLnRlc3QwHhcNMjYxMTIzMDEwMDA1WhcNMzYxMTIwMDEwMDA1
        WjAVMRMwEQYDVQQDDAptaXhlZC50ZXN0MCowBQYDK2VwAyEARumWVXV9f0FF4XRc
        C50Gsd+2PrUoC0O+Gxi9l8niIZCjgYgwgYUwZAYDVR0RBF0wW6AOBgMqAwSgBwwF
        b3RoZXKCBmEudGVzdKQTMBExDzANBgNVBAMMBmMudGVzdIEJbWVAYS50ZXN0hg9o
        dHRwczovL2EudGVzdC+HBMAAAgeIAioDggZiLnRlc3QwHQYDVR0OBBYEFJdiOIE7
        Q3DCv07PQLQ+UT+Je79JMAUGAytlcANBAERFX7W62aZF6KvCeGIFsarmUGQoxLZq
        5WR5yQnUBYMpz5U0eIJ96dU64iyi2uv8mAXKfIj7I3e7JIWB1kwcvQk=
        -----END CERTIFICATE-----
        """
}
