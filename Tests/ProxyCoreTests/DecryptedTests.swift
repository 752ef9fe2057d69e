import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

/// Origins whose handshake a proxy after the gate answers.
@Suite("a decrypting proxy after the gate")
struct DecryptedTests {
    private static func settings(_ host: String, by root: SigningIdentity) throws -> ServerTLSSettings {
        ServerTLSSettings(identity: try World.identity(host, issuer: root), alpn: ["http/1.1"])
    }

    /// Opens a tunnel whose origin is a proxy with that CA, and sends a request if the gate lets the app through.
    private func load(
        _ host: String, by root: SigningIdentity, isTrusted: Bool, in book: Playbook? = nil,
        _ change: (inout PolicyDraft) -> Void = { _ in }
    ) throws -> (book: Playbook, record: LoadRecord) {
        let trust = try World.trust(adding: isTrusted ? root : nil)
        let book = try Playbook(.strict) {
            $0.trust = trust
            change(&$0)
        }
        try book.openTunnel(host)
        try book.appStarts(host)
        for link in book.links { book.serve(link, as: try OriginPeer(Self.settings(host, by: root))) }
        if book.app?.machine.state == .established {
            book.appSends("GET /x HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            book.peerSends(TunnelTests.ok)
        }
        book.end(records: 1)
        return (book, try #require(book.records.first))
    }

    @Test("a proxy whose CA is trusted passes loads, and none is allowed", arguments: EnforcementMode.allCases)
    func trusted(mode: EnforcementMode) throws {
        guard mode != .witness else { return }
        let (_, record) = try load("a.test", by: try World.proxyRoot.get(), isTrusted: true) { $0.mode = mode }
        #expect(record.verdict == .outside && record.status == 200)
        #expect(record.diagnosis?.rule == .netDecrypted && record.diagnosis?.apple == nil)
        #expect(record.diagnosis?.findings.first?.confidence == .documented)
        #expect(record.remedy?.sentences.first?.contains("ignore_hosts") == true)
    }

    @Test("a proxy whose CA is not trusted is refused, as before, but no verdict of ATS is given")
    func untrusted() throws {
        let (book, record) = try load("a.test", by: try World.proxyRoot.get(), isTrusted: false)
        #expect(book.app?.machine.state != .established)
        #expect(record.verdict == .outside && record.status == nil)
        #expect(record.diagnosis?.rule == .netDecrypted && record.diagnosis?.findings.count == 1)
        #expect(record.diagnosis?.apple == nil)
    }

    @Test("audit mode lets it pass, also with an unknown CA")
    func audit() throws {
        let (_, record) = try load("a.test", by: try World.proxyRoot.get(), isTrusted: false) { $0.mode = .audit }
        #expect(record.verdict == .outside && record.status == 200 && record.diagnosis?.rule == .netDecrypted)
    }

    @Test("with --decrypted judge the proxy's certificate is judged as the server's")
    func judged() throws {
        let root = try World.proxyRoot.get()
        let (_, trusted) = try load("a.test", by: root, isTrusted: true) { $0.decrypted = .judge }
        #expect(trusted.verdict == .allowed && trusted.diagnosis == nil)
        let (_, untrusted) = try load("a.test", by: root, isTrusted: false) { $0.decrypted = .judge }
        #expect(untrusted.verdict == .blocked && untrusted.diagnosis?.rule == .incompleteChain)
    }

    @Test("a company's own CA is judged")
    func company() throws {
        let (_, record) = try load("mail.corp.example", by: try World.unknownRoot.get(), isTrusted: true)
        #expect(record.verdict == .allowed && record.diagnosis == nil)
    }
}
