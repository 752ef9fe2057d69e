import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("the client's hello is evidence of its program, its release and its ATS")
struct HelloEvidenceTests {
    /// The record of a client that is only watched: it sends `hello`, in `pieces`, and leaves.
    private func record(
        _ hello: [UInt8], _ declaration: PropertyValue = .strict, agent: String? = nil, pieces: Int = 1,
        _ change: (inout PolicyDraft) -> Void = { _ in }
    ) throws -> LoadRecord {
        let book = try Playbook(declaration) {
            $0.mode = .witness
            change(&$0)
        }
        let line = agent.map { "User-Agent: \($0)\r\n" } ?? ""
        book.client("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\(line)\r\n")
        let first = try book.connected()
        let size = (hello.count + pieces - 1) / pieces
        for start in stride(from: 0, to: hello.count, by: size) {
            book.client(Array(hello[start..<min(start + size, hello.count)]))
        }
        book.serve(first, as: try OriginPeer(.sound("a.test")))
        if !book.orders.isEmpty { try book.connected() }
        book.clientLost()
        book.end(records: 1)
        return try #require(book.records.first)
    }

    private static let app = "Demo/1 CFNetwork/1494.0.7 Darwin/23.4.0"

    @Test("the record has JA4, reading and the comparison with the dictionary", arguments: [1, 2, 7])
    func recorded(pieces: Int) throws {
        let strict = try #require(try record(PublicHello.app26, pieces: pieces).client.hello)
        #expect(strict.ja4 == "t13d1313h1_f57a46bbacb6_7f0f34a4126d")
        #expect(strict.reads == .ats && strict.minimum == .tls12 && strict.certainty == .observed)
        #expect(strict.law == .ats && strict.lawMinimum == .tls12 && strict.answer == .agree)
        let relaxed = try #require(try record(PublicHello.app26, ["NSAllowsArbitraryLoads": true]).client.hello)
        #expect(relaxed.law == .notInForce && relaxed.answer == .deviceStricter)
        let safari = try #require(try record(PublicHello.safari26).client.hello)
        #expect(safari.reads == .notInForce && safari.answer == .deviceLaxer)
    }

    @Test("a client without TLS has no hello")
    func cleartext() throws {
        let book = try Playbook(.strict)
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        #expect(book.records.first?.client.hello == nil)
        book.end(records: 1)
    }

    @Test("Go's hello puts a client outside, unless its User-Agent names a program that replaces the app in tests")
    func outside() throws {
        for agent in [nil, "tool/1", Self.app] as [String?] {
            let record = try record(PublicHello.go, agent: agent)
            #expect(record.verdict == .outside)
            #expect(record.diagnosis?.rule == .clientOutside)
            #expect(record.client.hello?.matches == "Go before 1.22" && record.client.hello?.law == nil)
        }
        for agent in ["curl/8.7.1", "python-requests/2.31"] {
            #expect(try record(PublicHello.go, agent: agent).verdict == .allowed)
        }
        let judged = try record(PublicHello.go, agent: "tool/1") { $0.clients.outside = .judge }
        #expect(judged.verdict == .allowed)
        let assumed = try record(PublicHello.go) { $0.clients.loader = .app }
        #expect(assumed.verdict == .allowed && assumed.diagnosis == nil)
    }

    @Test("with outside=hello the verdict of proxy and run is the same, for every program without Apple's TLS")
    func strictEvidence() throws {
        let curl = try AppPeer.hello("a.test")
        for isCommand in [false, true] {
            for hello in [PublicHello.go, curl] {
                let record = try record(hello, agent: "curl/8.7.1") {
                    $0.clients = ClientRules(outside: .hello, isCommand: isCommand)
                }
                #expect(record.verdict == .outside)
            }
            let app = try record(PublicHello.app26, agent: Self.app) {
                $0.clients = ClientRules(outside: .hello, isCommand: isCommand)
            }
            #expect(app.verdict == .allowed && app.diagnosis == nil)
        }
        // A command under test replaces the app.
        #expect(try record(PublicHello.go) { $0.clients.isCommand = true }.verdict == .allowed)
    }

    @Test("a User-Agent of the system over another program's hello is a finding, and no verdict")
    func foreign() throws {
        let curl = try AppPeer.hello("a.test")
        let record = try record(curl, agent: Self.app)
        #expect(record.verdict == .allowed)
        #expect(record.diagnosis?.findings.map(\.rule) == [.clientForeignHello])
        #expect(try self.record(curl, agent: "curl/8").diagnosis == nil)
        #expect(try self.record(PublicHello.app26, agent: Self.app).diagnosis == nil)
    }

    @Test("with a guessed release, the hello decides against the User-Agent")
    func release() throws {
        let record = try record(PublicHello.app26, agent: Self.app) { $0.system = .guessed(usual: nil) }
        #expect(record.client.os == "ios26" && record.policy.os == "ios26")
        #expect(record.client.osEvidence == "a hello of iOS 26 or later")
        #expect(record.client.osNotes.first?.contains("Darwin 23.4") == true)
        let named = try self.record(PublicHello.app26, agent: Self.app)
        #expect(named.client.osEvidence == nil)
        let new = "Demo/1 CFNetwork/3860.300.31 Darwin/25.2.0"
        let same = try self.record(PublicHello.app26, agent: new) { $0.system = .guessed(usual: nil) }
        #expect(same.client.osEvidence == "Darwin 25.2")
    }
}
