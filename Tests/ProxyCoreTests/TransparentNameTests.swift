import ATSPolicy
import Bytes
import ProxyCore
import Records
import TLSEngine
import Testing

/// A device may name any host at any address.
@Suite("names that redirected clients ask for")
struct TransparentNameTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func book(_ declaration: PropertyValue = .strict, port: Int = 443) throws -> Playbook {
        try Playbook(World.law(declaration), from: TransparentTests.place(port: port))
    }

    /// http and weak TLS for one host, and nothing else.
    private static let loose: PropertyValue = [
        "NSExceptionDomains": [
            "loose.test": [
                "NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionRequiresForwardSecrecy": false,
            ]
        ]
    ]

    @Test("a public name decides, whatever address was dialed")
    func publicName() throws {
        let book = try book(Self.loose)
        book.serve(try book.connected(), as: try OriginPeer(.staticRSA("loose.test")))
        try book.appStarts("loose.test")
        book.end(records: 1)
        let plain = try self.book(Self.loose, port: 80)
        let link = try plain.connected()
        plain.client("GET /x HTTP/1.1\r\nHost: loose.test\r\n\r\n")
        #expect(plain.originReads(on: link).hasPrefix("GET /x HTTP/1.1\r\n"))
        plain.origin(Self.ok)
        plain.end(records: 1)
        for record in book.records + plain.records {
            #expect(record.verdict == .allowed && record.load.target.host == "loose.test")
            #expect(record.origin?.address?.hasPrefix("192.0.2.1") == true)
            #expect(record.diagnosis?.findings.contains { $0.rule == .clientAddress } != true)
        }
    }

    /// Local names, which iOS 27 allows without an entry, in several spellings.
    private static let localNames = [
        "localhost", "LOCALHOST.", "intranet", "x.local", "X.LOCAL", "x.local.", "a.b.local", "x.localhost",
    ]

    @Test("a local name never gets a more lenient ruling than the dialed address", arguments: localNames)
    func localName(name: String) throws {
        let plain = try book(port: 80)
        let link = try plain.connected()
        plain.client("GET /x HTTP/1.1\r\nHost: \(name)\r\n\r\n")
        #expect(plain.originReads(on: link).isEmpty)
        #expect(plain.clientReads().hasPrefix("HTTP/1.1 403 "))
        plain.end(records: 1)
        #expect(plain.records.map(\.verdict) == [.blocked])
        #expect(plain.records.first?.diagnosis?.findings.contains { $0.rule == .clientAddress } == true)

    }

    @Test("a local name is allowed at a local address", arguments: ["localhost", "intranet", "X.LOCAL", "a.b.local"])
    func localNameAtLocalAddress(name: String) throws {
        let near = try Playbook(World.law(.strict), from: TransparentTests.place("10.0.0.1", port: 80))
        try near.connected()
        near.client("GET /x HTTP/1.1\r\nHost: \(name)\r\n\r\n")
        near.origin(Self.ok)
        near.end(records: 1)
        #expect(near.records.map(\.verdict) == [.allowed])
    }

    @Test("over TLS the origin of a local name must satisfy the ruling of the address as well")
    func localNameOverTLS() throws {
        let book = try book()
        for _ in 0..<2 where !book.orders.isEmpty {
            book.serve(try book.connected(), as: try OriginPeer(.staticRSA("x.local")))
            if book.app == nil { try book.appStarts("x.local") }
        }
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(book.records.first?.load.target.host == "x.local")
    }

    /// Spellings of addresses that are local, or loopback, but not the dialed one.
    private static let otherAddresses = [
        "10.0.0.1", "127.0.0.1", "167772161", "0x0a000001", "127.1", "10.0.0.1.", "[fe80::1]", "[::1]",
        "[::ffff:10.0.0.1]",
    ]

    @Test(
        "an address in Host that is not the dialed one is answered 421, and nothing is sent to the origin",
        arguments: otherAddresses)
    func otherAddress(host: String) throws {
        let requests = [
            "GET /x HTTP/1.1\r\nHost: \(host)\r\n\r\n", "GET http://\(host)/x HTTP/1.1\r\nHost: \(host)\r\n\r\n",
        ]
        for declaration in [PropertyValue.strict, .openWorld] {
            for request in requests {
                let book = try book(declaration, port: 80)
                let link = try book.connected()
                book.client(request)
                let answer = book.clientReads()
                #expect(book.originReads(on: link).isEmpty)
                book.end(records: 1)
                #expect(answer.hasPrefix("HTTP/1.1 421 "), "\(answer)")
                #expect(book.records.map(\.verdict) == [.failed])
                #expect(book.records.first?.diagnosis?.findings.map(\.rule) == [.clientAddress])
            }
        }
    }

    @Test("an address in Host that is the dialed one decides, in any spelling", arguments: ["10.0.0.1", "167772161"])
    func sameAddress(host: String) throws {
        let book = try Playbook(World.law(.strict), from: TransparentTests.place("10.0.0.1", port: 80))
        try book.connected()
        book.client("GET /x HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        book.origin(Self.ok)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(book.records.first?.diagnosis?.findings.contains { $0.rule == .clientAddress } != true)
    }
}
