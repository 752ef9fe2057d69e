import ATSPolicy
import Dialing
import Foundation
import ProxyCore
import ProxyServer
import Records
import TLSEngine
import Testing

/// Clients and origins by OpenSSL and Python, with a real gate between them that passes their host through.
@Suite(.serialized, .timeLimit(.minutes(3)))
final class PassthroughThroughGateTests {
    private let folder: URL
    private let root: SigningIdentity
    private let good: SigningIdentity
    /// Self-signed, for another host.
    private let bad: SigningIdentity

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-pass-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let now = Int64(Date().timeIntervalSince1970)
        let day: Int64 = 86_400
        root = try CertificateRecipe(
            commonName: "Pass Root", notBefore: now - 90 * day, notAfter: now + 900 * day, isCA: true
        ).issued(by: nil)
        good = try CertificateRecipe(
            commonName: "pass.test", dnsNames: ["pass.test"], key: .rsa(bits: 2_048), notBefore: now - day,
            notAfter: now + 90 * day, extendedKeyUsages: [.serverAuth]
        ).issued(by: root)
        bad = try CertificateRecipe(
            commonName: "bad.test", dnsNames: ["bad.test"], key: .rsa(bits: 2_048), notBefore: now - day,
            notAfter: now + 90 * day
        ).issued(by: nil)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func file(_ identity: SigningIdentity) throws -> String {
        let path = folder.appending(path: "\(UUID().uuidString).pem")
        try Data((identity.certificatePEM + identity.keyPEM).utf8).write(to: path)
        return path.path
    }

    private func rig(to port: Int) throws -> Rig {
        let rootFile = folder.appending(path: "root.pem")
        try Data(root.certificatePEM.utf8).write(to: rootFile)
        return try Rig {
            $0.roots = [rootFile.path]
            $0.rules.passthrough = ["pass.test"]
            $0.connectTo = [ConnectTo(host: "pass.test", port: nil, toHost: "127.0.0.1", toPort: port)]
        }
    }

    /// Returns the output of an OpenSSL client that handshakes through the gate.
    private func meet(_ rig: Rig, _ options: [String]) async throws -> String {
        try await Outcome.run(
            "openssl", ["s_client", "-proxy", "127.0.0.1:\(rig.port)", "-connect", "pass.test:443"] + options
        ).output
    }

    @Test("a client without a server name does not reach another host of the origin")
    func defaultHost() async throws {
        let origin = try ChangingServer(first: file(bad), then: file(bad), named: file(good))
        let rig = try rig(to: origin.port)
        let named = try await meet(rig, ["-servername", "pass.test"])
        #expect(named.contains("Pass Root"), "\(named)")
        let unnamed = try await meet(rig, ["-noservername"])
        #expect(!unnamed.contains("bad.test"), "\(unnamed)")
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.allowed, .blocked])
        #expect(records.last?.diagnosis?.findings.contains { $0.rule == .hostName } == true)
        #expect(records.last?.load.target.host == "pass.test")
    }

    @Test("an origin that serves a bad certificate first and a good one second is blocked")
    func twoFaces() async throws {
        let origin = try ChangingServer(first: file(bad), then: file(good))
        let rig = try rig(to: origin.port)
        let said = try await meet(rig, ["-servername", "pass.test", "-tls1_2"])
        #expect(!said.contains("bad.test"), "\(said)")
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.blocked])
        #expect(records.first?.diagnosis?.findings.first?.rule == .selfSigned)
        #expect(records.first?.diagnosis?.findings.last?.rule == .clientOwnHandshake)
    }

    @Test("a client that offers only a suite without forward secrecy is blocked")
    func weakClient() async throws {
        let suites = "ECDHE-RSA-AES128-GCM-SHA256:AES128-SHA:@SECLEVEL=0"
        let origin = try ChangingServer(first: file(good), then: file(good), suites: suites)
        let rig = try rig(to: origin.port)
        let options = ["-servername", "pass.test", "-tls1_2", "-cipher"]
        let weak = try await meet(rig, options + ["AES128-SHA:@SECLEVEL=0"])
        #expect(!weak.contains("Pass Root"), "\(weak)")
        let strong = try await meet(rig, options + ["ECDHE-RSA-AES128-GCM-SHA256"])
        #expect(strong.contains("Pass Root"), "\(strong)")
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.blocked, .allowed])
        #expect(records.first?.diagnosis?.findings.first?.rule == .forwardSecrecy)
        // The gate's own handshake used TLS 1.3.
        #expect(records.last?.diagnosis?.findings.map(\.rule) == [.clientOwnHandshake])
    }

    @Test("a client's second handshake is cut off before it shows a certificate, although its origin allows it")
    func renegotiating() async throws {
        let origin = try ChangingServer(first: file(good), then: file(good))
        let command = folder.appending(path: "command")
        try Data("R\n".utf8).write(to: command)
        let rig = try rig(to: origin.port)
        let options = ["-servername", "pass.test", "-tls1_2"]
        for isDirect in [true, false] {
            let way = isDirect ? ["127.0.0.1:\(origin.port)"] : ["pass.test:443", "-proxy", "127.0.0.1:\(rig.port)"]
            let outcome = try await Outcome.run("openssl", ["s_client", "-connect"] + way + options, input: command)
            #expect(outcome.complaint.contains("RENEGOTIATING"), "\(outcome)")
            // It verifies each certificate that it gets.
            let handshakes = outcome.complaint.split(separator: "verify error:num=20").count - 1
            #expect(handshakes == (isDirect ? 2 : 1), "\(outcome)")
        }
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.failed])
        #expect(records.first?.diagnosis?.findings.first?.title == "Second handshake in one connection")
    }
}

/// A Python server with one certificate for the first connection, another for all later ones, and optionally a third
/// for the name pass.test.
/// It serves several connections at a time, because the gate's own handshake happens while the client's connection
/// waits.
private final class ChangingServer {
    let port: Int
    private let process = Process()

    init(first: String, then: String, named: String = "", suites: String = "") throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script, first, then, named, suites]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(Int(said.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    private static let script = """
        import socket, ssl, sys, threading
        def context(path):
            made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            made.load_cert_chain(path)
            # SSL_OP_ALLOW_CLIENT_RENEGOTIATION
            made.options |= 1 << 8
            if sys.argv[4]:
                made.set_ciphers(sys.argv[4])
            return made
        faces = [context(path) for path in sys.argv[1:3]]
        if sys.argv[3]:
            named = context(sys.argv[3])
            def choose(connection, name, _):
                if name == "pass.test":
                    connection.context = named
            for face in faces:
                face.sni_callback = choose
        door = socket.create_server(("127.0.0.1", 0))
        print(door.getsockname()[1], flush=True)
        def serve(client, face):
            try:
                client.settimeout(20)
                face.wrap_socket(client, server_side=True).recv(1)
            except OSError:
                pass
        for count in range(20):
            client, _ = door.accept()
            threading.Thread(target=serve, args=(client, faces[min(count, 1)]), daemon=True).start()
        """
}
