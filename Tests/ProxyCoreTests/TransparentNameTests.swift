import ATSPolicy
import Bytes
import ProxyCore
import Records
import TLSEngine
import Testing

/// A device may name any host at any address.
@Suite("names that redirected clients ask for")
struct TransparentNameTests {
    private static let get = "GET /x HTTP/1.1\r\nHost: good.test\r\n\r\n"
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

    @Test(
        "a name that is not known to lead to the address is told, and blocks nothing by itself",
        arguments: [AddressMatch.elsewhere, .unresolved])
    func elsewhere(match: AddressMatch) throws {
        let book = try book()
        book.match = match
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        try book.appStarts("good.test")
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        #expect(book.compared == ["good.test"])
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(book.records.first?.diagnosis?.findings.map(\.rule) == [.clientAddress])
        // Judged for both, it is nobody else's.
        #expect(!book.transcript.contains("  keep #1"))
    }

    @Test("a device that names another host to be judged by its law is judged by that of the address, too")
    func stricterOfBoth() throws {
        for (match, verdict) in [
            (AddressMatch.leads, Verdict.allowed), (.elsewhere, .blocked), (.unresolved, .blocked),
        ] {
            let book = try book(Self.loose)
            book.match = match
            book.serve(try book.connected(), as: try OriginPeer(.staticRSA("loose.test")))
            try book.appStarts("loose.test")
            // Offered what the stricter of both allows, it finds nothing in common: everything is offered once more.
            if match != .leads { book.serve(try book.connected(), as: try OriginPeer(.staticRSA("loose.test"))) }
            book.end(records: 1)
            #expect(book.records.map(\.verdict) == [verdict])
            #expect(book.records.first?.load.target.host == "loose.test")
            let rules = book.records.first?.diagnosis?.findings.map(\.rule) ?? []
            #expect(rules.contains(.clientAddress) == (match != .leads))

            let plain = try self.book(Self.loose, port: 80)
            plain.match = match
            let link = try plain.connected()
            plain.client("GET /x HTTP/1.1\r\nHost: loose.test\r\n\r\n")
            #expect(plain.originReads(on: link).isEmpty == (verdict == .blocked))
            if verdict == .allowed { plain.origin(Self.ok) }
            plain.end(records: 1)
            #expect(plain.records.map(\.verdict) == [verdict])
            let told = plain.records.first?.diagnosis?.findings.map(\.rule) ?? []
            #expect(told.contains(.clientAddress) == (match != .leads))
        }
    }

    @Test("the origin is not asked for anything before it is known where the name leads")
    func waits() throws {
        let book = try book()
        book.match = nil
        let link = try book.connected()
        try book.appStarts("good.test")
        #expect(book.originReads(on: link).isEmpty && book.compared == ["good.test"])
        book.tell(.compared(name: "good.test", .leads), as: "compared")
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        #expect(book.app?.leaf?.subject == "CN=good.test")
        book.end(records: 1)

        let plain = try self.book(.openWorld, port: 80)
        plain.match = nil
        let second = try plain.connected()
        plain.client(Self.get)
        #expect(plain.originReads(on: second).isEmpty && plain.compared == ["good.test"])
        plain.tell(.compared(name: "good.test", .leads), as: "compared")
        #expect(plain.originReads(on: second).hasPrefix("GET /x "))
        plain.end(records: 1)
    }
}
