import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("origins that request a client certificate")
struct ClientCertificateTests {
    /// A sound origin that requests a client certificate.
    private func asking(_ host: String) throws -> OriginPeer {
        var settings = try ServerTLSSettings.sound(host)
        settings.requestsClientCertificate = true
        return try OriginPeer(settings)
    }

    private func book(_ entries: [(host: String, port: Int?)], passthrough: [String] = []) throws -> Playbook {
        let identity = try World.clientIdentity.get()
        return try Playbook(.strict) {
            $0.passthrough = passthrough
            $0.identities = ClientIdentities(
                entries.map { ClientIdentities.Entry(host: $0.host, port: $0.port, identity: identity) })
        }
    }

    @Test(
        "the certificate is sent only to the hosts that it is configured for",
        arguments: [
            ("a.good.test", nil, ClientCertificateUse.sent), ("*.good.test", nil, .sent), ("a.good.test", 443, .sent),
            ("good.test", nil, .asked), ("a.good.test", 8_443, .asked),
        ] as [(String, Int?, ClientCertificateUse)])
    func chosen(host: String, port: Int?, use: ClientCertificateUse) throws {
        let book = try book([(host, port)])
        let link = try book.openTunnel("a.good.test")
        book.serve(link, as: try asking("a.good.test"))
        try book.appStarts("a.good.test")
        book.end(records: 1)
        #expect(book.records.first?.origin?.facts?.clientCertificate == use)
    }

    @Test("the gate's own handshake with a passthrough host also sends the certificate")
    func passthrough() throws {
        let book = try book([("a.test", nil)], passthrough: ["a.test"])
        try book.openTunnel("a.test")
        let app = try AppPeer(serverName: "a.test")
        app.machine.start()
        book.client(app.outbox.drained)
        book.serve(try book.connected(), as: try asking("a.test"))
        book.end(records: 1)
        #expect(book.records.first?.origin?.facts?.clientCertificate == .sent)
    }
}
