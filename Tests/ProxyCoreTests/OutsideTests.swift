import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

/// Clients that ATS does not govern on a device, and clients that represent the app.
@Suite("which clients are judged")
struct OutsideTests {
    /// A kind of client, and whether it is outside under `proxy` and under `run`.
    struct Kind: Sendable, CustomTestStringConvertible {
        let agent: String
        let program: ClientProgram
        let isOutside: Bool
        let isOutsideOfCommand: Bool
        var loader = Loader.app

        var testDescription: String { program.rawValue }
    }

    private static let phone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"

    static let kinds = [
        Kind(
            agent: "\(phone) Version/17.4 Mobile/15E148 Safari/604.1", program: .safari, isOutside: true,
            isOutsideOfCommand: true),
        Kind(
            agent: "\(phone) CriOS/126.0 Mobile/15E148 Safari/604.1", program: .chrome, isOutside: true,
            isOutsideOfCommand: true),
        Kind(agent: "Dart/3.3 (dart:io)", program: .dart, isOutside: true, isOutsideOfCommand: false),
        Kind(agent: "okhttp/4.12", program: .okhttp, isOutside: true, isOutsideOfCommand: false),
        Kind(agent: "Go-http-client/1.1", program: .go, isOutside: true, isOutsideOfCommand: false),
        Kind(agent: "curl/8.5.0", program: .curl, isOutside: false, isOutsideOfCommand: false),
        Kind(agent: "python-requests/2.32", program: .python, isOutside: false, isOutsideOfCommand: false),
        Kind(agent: "MyOwnAgent", program: .unknown, isOutside: false, isOutsideOfCommand: false),
        Kind(
            agent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36",
            program: .chrome, isOutside: false, isOutsideOfCommand: false, loader: .web),
    ]

    /// A way to run the gate: how it treats clients that ATS does not govern, and whether it started the client's
    /// command.
    struct Way: Sendable, CustomTestStringConvertible {
        let outside: OutsideClients
        let isCommand: Bool

        var testDescription: String { "\(isCommand ? "run" : "proxy") \(outside)" }
        var rules: ClientRules { ClientRules(outside: outside, isCommand: isCommand) }

        func isOutside(_ kind: Kind) -> Bool {
            outside != .judge && (isCommand ? kind.isOutsideOfCommand : kind.isOutside)
        }
    }

    static let ways = OutsideClients.allCases.flatMap { outside in
        [true, false].map { Way(outside: outside, isCommand: $0) }
    }
    /// The ways in which the User-Agent alone decides.
    static let waysByAgent = ways.filter { $0.outside != .hello }

    private static func connect(_ host: String, _ agent: String) -> String {
        "CONNECT \(host):443 HTTP/1.1\r\nHost: \(host):443\r\nUser-Agent: \(agent)\r\n\r\n"
    }

    private static func get(_ url: String, _ host: String, _ agent: String) -> String {
        "GET \(url) HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: \(agent)\r\n\r\n"
    }

    /// Opens a tunnel from `agent` to an origin with these settings; returns the record.
    private func tunnel(
        _ agent: String, _ settings: ServerTLSSettings, host: String = "weak.test",
        _ change: (inout PolicyDraft) -> Void
    ) throws -> (book: Playbook, record: LoadRecord) {
        let book = try Playbook(.strict, change)
        book.client(Self.connect(host, agent))
        try book.connected()
        try book.appStarts(host)
        for link in book.links { book.serve(link, as: try OriginPeer(settings)) }
        while !book.orders.isEmpty { book.serve(try book.connected(), as: try OriginPeer(settings)) }
        if book.app?.machine.state == .established {
            book.appSends(Self.get("/x", host, agent))
            book.peerSends(TunnelTests.ok)
        }
        book.end(records: 1)
        return (book, try #require(book.records.first))
    }

    private func expect(_ record: LoadRecord, outside program: ClientProgram) {
        #expect(record.verdict == .outside)
        #expect(record.diagnosis?.rule == .clientOutside)
        #expect(record.diagnosis?.apple == nil && record.diagnosis?.remedy == nil)
        #expect(record.diagnosis?.findings.first?.observed.contains("is \(program.rawValue): ") == true)
    }

    @Test("cleartext is allowed for outside clients and denied to others", arguments: kinds, ways)
    func cleartext(kind: Kind, way: Way) throws {
        let book = try Playbook(.strict) { $0.clients = way.rules }
        book.client(Self.get("http://a.test/", "a.test", kind.agent))
        guard way.isOutside(kind) else {
            #expect(book.clientReads().hasPrefix("HTTP/1.1 403 "))
            book.end(records: 1)
            let record = try #require(book.records.first)
            #expect(record.verdict == .blocked && record.diagnosis?.rule == .cleartextLoad)
            #expect(record.client.loader == kind.loader && record.client.assumed == kind.program)
            return
        }
        try book.connected()
        book.origin("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        #expect(book.clientReads().hasPrefix("HTTP/1.1 200 "))
        book.end(records: 1)
        let record = try #require(book.records.first)
        expect(record, outside: kind.program)
        #expect(record.client.loader == .app && record.client.assumed == kind.program && record.status == 200)
    }

    @Test(
        "TLS that only ATS rejects works for outside clients and is blocked for others", arguments: kinds, waysByAgent)
    func weakTLS(kind: Kind, way: Way) throws {
        let (book, record) = try tunnel(kind.agent, .staticRSA("weak.test")) { $0.clients = way.rules }
        if way.isOutside(kind) {
            expect(record, outside: kind.program)
            #expect(record.status == 200 && record.origin?.facts != nil && record.refusal == nil)
            #expect(book.app?.leaf?.issuer == "CN=Gate")
        } else {
            #expect(record.verdict == .blocked && record.diagnosis?.rule == .forwardSecrecy)
            #expect(record.client.assumed == kind.program)
        }
    }

    @Test("an untrusted certificate is refused to every client", arguments: kinds, waysByAgent)
    func brokenCertificate(kind: Kind, way: Way) throws {
        let (book, record) = try tunnel(kind.agent, .untrusted("weak.test")) { $0.clients = way.rules }
        #expect(record.refusal == .untrustedLeaf)
        #expect(book.app?.leaf?.issuer != "CN=Gate")
        if way.isOutside(kind) {
            expect(record, outside: kind.program)
            #expect(record.diagnosis?.findings.map(\.rule).contains(.untrustedRoot) == true)
        } else {
            #expect(record.verdict == .blocked && record.diagnosis?.rule == .untrustedRoot)
        }
    }

    @Test("a sound load of an outside client is recorded as outside, never as allowed")
    func sound() throws {
        for kind in Self.kinds {
            let (_, record) = try tunnel(kind.agent, .sound("good.test"), host: "good.test") { _ in }
            #expect(record.verdict == (kind.isOutside ? .outside : .allowed))
        }
    }

    @Test("an outside client gets a passthrough host's own certificate and decides on it")
    func passthrough() throws {
        for kind in Self.kinds where kind.isOutside {
            let book = try Playbook(.strict) { $0.passthrough = ["weak.test"] }
            book.client(Self.connect("weak.test", kind.agent))
            try book.connected()
            try book.appStarts("weak.test")
            while !book.orders.isEmpty {
                book.serve(try book.connected(), as: try OriginPeer(.untrusted("weak.test")))
            }
            book.serve(book.links[0], as: try OriginPeer(.untrusted("weak.test")))
            #expect(book.app?.leaf?.issuer == "CN=Strange Root")
            book.end(records: 1)
            let record = try #require(book.records.first)
            expect(record, outside: kind.program)
            #expect(record.refusal == nil)
        }
    }

    @Test("in audit mode an outside client's load is recorded as outside, not as would-block")
    func audited() throws {
        for kind in Self.kinds {
            let (_, record) = try tunnel(kind.agent, .staticRSA("weak.test")) { $0.mode = .audit }
            #expect(record.verdict == (kind.isOutside ? .outside : .wouldBlock))
        }
    }

    @Test("an outside client's load counts as outside if network or server fail, and as failed if the client leaves")
    func failures() throws {
        let dart = "Dart/3.3 (dart:io)"
        let book = try Playbook(.strict)
        book.client(Self.get("http://a.test/", "a.test", dart))
        try book.dialFailed(.refused)
        book.end(records: 1)
        let refused = try #require(book.records.first)
        expect(refused, outside: .dart)
        #expect(refused.diagnosis?.findings.map(\.rule) == [.clientOutside, .netRefused])

        let other = try Playbook(.strict)
        other.client(Self.get("http://a.test/", "a.test", dart))
        try other.connected()
        other.clientLost()
        other.end(records: 1)
        let gone = try #require(other.records.first)
        #expect(gone.verdict == .failed)
        #expect(gone.diagnosis?.findings.map(\.rule) == [.clientGone, .clientOutside])
    }

    @Test("the app's own pins do not apply to outside clients")
    func appCode() throws {
        let other = AppPin(host: "good.test", .publicKey(sha256: String(repeating: "ab", count: 32)))
        for kind in Self.kinds {
            let (_, record) = try tunnel(kind.agent, .sound("good.test"), host: "good.test") {
                $0.appTrust.pins = [other]
            }
            #expect(record.verdict == (kind.isOutside ? .outside : .blocked))
            #expect(record.diagnosis?.rule == (kind.isOutside ? .clientOutside : .appPin))
        }
    }

    @Test("--outside judge judges clients with any User-Agent")
    func judgedAll() throws {
        for kind in Self.kinds {
            let book = try Playbook(.strict) { $0.clients.outside = .judge }
            book.client(Self.get("http://a.test/", "a.test", kind.agent))
            book.end(records: 1)
            #expect(book.records.map(\.verdict) == [.blocked])
        }
    }

    @Test("a listener's setting overrides the global one, and an assumed loader overrides the User-Agent")
    func order() throws {
        let url = Self.get("http://a.test/", "a.test", "Dart/3.3 (dart:io)")
        func verdict(_ place: ClientSource, _ rules: ClientRules) throws -> LoadRecord? {
            let book = try Playbook(World.law(.strict) { $0.clients = rules }, from: place)
            book.client(url)
            if !book.orders.isEmpty { try book.dialFailed(.refused) }
            book.end(records: 1)
            return book.records.first
        }
        func place(_ change: (inout ClientSource) -> Void) -> ClientSource {
            var place = ClientSource(address: "127.0.0.1:5000")
            change(&place)
            return place
        }
        #expect(try verdict(place { $0.outside = .judge }, ClientRules())?.verdict == .blocked)
        #expect(try verdict(place { $0.outside = .pass }, ClientRules(outside: .judge))?.verdict == .outside)
        let media = try verdict(place { $0.assumedLoader = .media }, ClientRules())
        #expect(media?.verdict == .blocked && media?.client.loader == .media && media?.client.assumed == nil)
        #expect(try verdict(place { _ in }, ClientRules(loader: .app))?.verdict == .blocked)
    }

    @Test("each load in a tunnel is judged by its own User-Agent")
    func mixedTunnel() throws {
        let book = try Playbook(.strict)
        book.client(Self.connect("weak.test", "Dart/3.3 (dart:io)"))
        book.serve(try book.connected(), as: try OriginPeer(.staticRSA("weak.test")))
        try book.appStarts("weak.test")
        for agent in ["Dart/3.3 (dart:io)", LawAgeTests.app] {
            book.appSends(Self.get("/x", "weak.test", agent))
            while !book.orders.isEmpty { book.serve(try book.connected(), as: try OriginPeer(.staticRSA("weak.test"))) }
            book.peerSends(TunnelTests.ok)
        }
        book.end(records: 2)
        #expect(book.records.map(\.verdict) == [.outside, .blocked])
    }
}
