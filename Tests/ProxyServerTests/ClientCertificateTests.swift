import ATSPolicy
import Dialing
import Foundation
import ProxyServer
import Records
import TLSEngine
import Testing

/// Origins that request a client certificate: `openssl s_server` and a real gate.
@Suite(.serialized, .timeLimit(.minutes(3)))
final class ClientCertificateTests {
    private let folder: URL
    private let root: SigningIdentity
    private let server: SigningIdentity
    private let clientFile: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-mtls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let now = Int64(Date().timeIntervalSince1970)
        let day: Int64 = 86_400
        root = try CertificateRecipe(
            commonName: "mTLS Root", notBefore: now - 90 * day, notAfter: now + 900 * day, isCA: true
        ).issued(by: nil)
        server = try CertificateRecipe(
            commonName: "mtls.test", dnsNames: ["mtls.test"], notBefore: now - day, notAfter: now + 90 * day,
            extendedKeyUsages: [.serverAuth]
        ).issued(by: root)
        let middle = try CertificateRecipe(
            commonName: "mTLS Clients", notBefore: now - 90 * day, notAfter: now + 900 * day, isCA: true
        ).issued(by: root)
        let client = try CertificateRecipe(
            commonName: "the tester", notBefore: now - day, notAfter: now + 90 * day, extendedKeyUsages: [.clientAuth]
        ).issued(by: middle)
        clientFile = folder.appending(path: "client.pem").path
        let pem = client.keyPEM + client.certificatePEM + middle.certificatePEM
        #expect(
            FileManager.default.createFile(
                atPath: clientFile, contents: Data(pem.utf8), attributes: [.posixPermissions: 0o600]))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func rig(to origin: OpenSSLServer, showing file: ClientCertificateFile?) throws -> Rig {
        let rootFile = folder.appending(path: "root.pem")
        try Data(root.certificatePEM.utf8).write(to: rootFile)
        return try Rig {
            $0.roots = [rootFile.path]
            $0.connectTo = [ConnectTo(host: "mtls.test", port: nil, toHost: "127.0.0.1", toPort: origin.port)]
            $0.clientCertificates = file.map { [$0] } ?? []
        }
    }

    @Test(
        "an origin that requires a certificate gets it with its chain, by the host's exact name or its pattern",
        arguments: ["mtls.test", "*.test"], ["-tls1_2", "-tls1_3"])
    func sent(host: String, version: String) async throws {
        let origin = try OpenSSLServer(
            in: folder, showing: server, believing: root, ["-Verify", "3", "-verify_return_error", version])
        let rig = try rig(to: origin, showing: ClientCertificateFile(host: host, port: 443, path: clientFile))
        let outcome = try await rig.curl("https://mtls.test/")
        #expect(outcome.output.contains("the tester"), "\(outcome.complaint)")
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.allowed])
        #expect(records.first?.origin?.facts?.clientCertificate == .sent)
    }

    /// Up to TLS 1.2 the alert arrives within the handshake; in TLS 1.3 after it, at about the time of the request.
    @Test(
        "an origin that requires a certificate and gets none fails with -1206, as on a device",
        arguments: ["-tls1_2", "-tls1_3"])
    func insisting(version: String) async throws {
        let origin = try OpenSSLServer(
            in: folder, showing: server, believing: root, ["-Verify", "3", "-verify_return_error", version])
        let rig = try rig(to: origin, showing: nil)
        for _ in 0..<3 { _ = try await rig.curl("https://mtls.test/") }
        let records = rig.finish()
        #expect(records.count == 3)
        for record in records {
            #expect(record.verdict == .failed)
            #expect(record.diagnosis?.apple?.code == -1206, "\(record.diagnosis.debugDescription)")
            #expect(record.origin?.facts?.clientCertificate == .asked)
        }
    }

    @Test("without a certificate for this host and port the record shows that one was requested")
    func asked() async throws {
        let origin = try OpenSSLServer(in: folder, showing: server, believing: root, ["-verify", "3"])
        for file in [
            nil, ClientCertificateFile(host: "other.test", port: nil, path: clientFile),
            ClientCertificateFile(host: "mtls.test", port: 8_443, path: clientFile),
        ] {
            let rig = try rig(to: origin, showing: file)
            let outcome = try await rig.curl("https://mtls.test/")
            #expect(outcome.output.contains("no client certificate available"), "\(outcome.complaint)")
            #expect(rig.finish().first?.origin?.facts?.clientCertificate == .asked)
        }
    }

    @Test("a broken file ends the start with 65 and is named, and a reload keeps the old certificate")
    func broken() async throws {
        let error = #expect(throws: GateError.self) {
            try Rig { $0.clientCertificates = [ClientCertificateFile(host: "a.test", port: nil, path: "/nowhere.pem")] }
        }
        #expect(error?.exitCode == 65)
        #expect(error?.sentence.contains("/nowhere.pem") == true)
        let origin = try OpenSSLServer(in: folder, showing: server, believing: root, ["-verify", "3"])
        let rig = try rig(to: origin, showing: ClientCertificateFile(host: "mtls.test", port: nil, path: clientFile))
        try Data("broken".utf8).write(to: URL(filePath: clientFile))
        rig.gate.reload()
        #expect(try await rig.curl("https://mtls.test/").output.contains("the tester"))
        rig.finish()
    }
}
