import ATSPolicy
import Foundation
import HTTPWire
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("every failed load is attributed to the party that caused it")
struct BlameTests {
    @Test("a slow client handshake is attributed to the client, with a finding that it stopped")
    func slowClientHandshake() throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("good.test")
        let app = try AppPeer(serverName: "good.test")
        app.machine.start()
        book.client(app.outbox.drained)
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        #expect(book.armed == .handshake)
        book.pass(.handshake)
        let finding = book.records.first?.diagnosis?.findings.first
        #expect(finding?.rule == .clientGone)
        #expect(finding?.title == "Client stopped")
        book.end(records: 1)
    }

    @Test("a leaf that cannot be issued is the gate's fault", arguments: [false, true])
    func noLeaf(isRefusal: Bool) throws {
        let law = try World.law(.strict)
        let broken = try CertificateAuthority.signingNothing(now: World.now)
        let loop = try isRefusal ? World.loop(law, untrusted: broken) : World.loop(law, authority: broken)
        let book = try Playbook(law, loop: loop)
        try book.tunnel(to: "good.test", serving: isRefusal ? .untrusted("good.test") : nil)
        let record = try #require(book.records.first)
        #expect(record.verdict == .failed)
        #expect(record.diagnosis?.findings.map(\.rule) == [.gateFault])
        let observed = try #require(record.diagnosis?.findings.first?.observed)
        #expect(observed.hasPrefix("No certificate could be made for good.test: OpenSSL error "), "\(observed)")
        #expect(record.diagnosis?.apple == nil)
        #expect(book.session.isClosed)
        book.end(records: 1)
    }

    @Test("a half-closed client gets a short time for its response, then is closed")
    func halfClosed() throws {
        let book = try Playbook()
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        try book.connected()
        book.clientEnded()
        #expect(book.armed == .halfClosed)
        book.pass(.halfClosed)
        book.expect(
            "connect http://a.test reuse", "record failed - sent=0 received=0 client.gone", "close #1",
            "closeClient")
        book.end(records: 1)
    }

    @Test(
        "an origin that breaks HTTP/2 is blamed, also on the connection that replaces the first",
        arguments: [HTTPWire.Method.get, .post])
    func brokenStreams(method: HTTPWire.Method) throws {
        let streams = try StreamBook()
        let log = try streams.ask(.plain("/1", method: method))
        // A DATA frame on stream 0. Source: RFC 9113 section 6.1.
        streams.book.peerSends("\u{0}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}x")
        streams.carry()
        if method == .get {
            let link = try streams.book.connected()
            streams.book.serve(link, as: try OriginPeer(.sound("good.test", alpn: ["h2"])))
            // A SETTINGS acknowledgement where the first SETTINGS frame is expected. Source: RFC 9113 section 3.4.
            streams.book.peerSends("\u{0}\u{0}\u{0}\u{4}\u{1}\u{0}\u{0}\u{0}\u{0}")
            streams.carry()
        }
        #expect(log.status == 502)
        #expect(streams.book.records.map(\.words) == ["failed 502 sent=0 received=0 http.malformed"])
        #expect(streams.book.records.first?.diagnosis?.findings.first?.title == "Broken HTTP/2 server")
        streams.book.end(records: 1)
    }

    @Test(
        "a connection with an authenticated login is never reused", arguments: ["NTLM", "Negotiate", "negotiate abc"])
    func logins(scheme: String) throws {
        let asked = try Playbook()
        asked.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nAuthorization: \(scheme)\r\n\r\n")
        try asked.connected()
        asked.origin("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        asked.clientEnded()
        asked.expect(
            "connect http://a.test reuse", "record allowed 200 sent=0 received=2", "close #1", "closeClient")
        asked.end(records: 1)

        let answered = try Playbook()
        answered.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        try answered.connected()
        answered.origin("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic, \(scheme)\r\nContent-Length: 2\r\n\r\nno")
        answered.clientEnded()
        answered.expect(
            "connect http://a.test reuse", "record allowed 401 sent=0 received=2", "close #1", "closeClient")
        answered.end(records: 1)
    }
}

extension CertificateAuthority {
    /// A CA from files whose key fails to sign because its primes are even.
    fileprivate static func signingNothing(now: Int64) throws -> CertificateAuthority {
        let sound = try CertificateRecipe(
            commonName: "Broken", key: .rsa(bits: 1_024), notBefore: now, notAfter: now + 90 * World.day, isCA: true
        ).issued(by: nil)
        let lines = sound.keyPEM.split(separator: "\n")
        var key = Array(try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined())))
        // Each is an INTEGER of 65 bytes, the first of them 0 (RFC 8017 appendix A.1.2).
        for start in key.indices.dropLast(67) where key[start...].starts(with: [2, 65, 0]) { key[start + 66] &= 0xFE }
        let body = Data(key).base64EncodedString(options: .lineLength64Characters)
        let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-core-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = "-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n"
        try Data(sound.certificatePEM.utf8).write(to: folder.appending(path: "ca-cert.pem"))
        let isMade = FileManager.default.createFile(
            atPath: folder.appending(path: "ca-key.pem").path, contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600])
        try #require(isMade)
        return try openOrCreate(directory: folder.path, now: now)
    }
}
