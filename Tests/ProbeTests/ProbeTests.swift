import ATSPolicy
import Dialing
import Lab
import NetLoop
import Probe
import Records
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ProbeTests {
    @Test(
        "a misspelt scheme is refused with the URL that was meant, as by explain",
        arguments: [("https//example.com", "https://example.com"), ("http:/example.com/x", "http://example.com/x")])
    func misspeltScheme(text: String, meant: String) throws {
        let error = #expect(throws: (any Error).self) { try ProbeTarget(text) }
        #expect("\(error as Any)".contains("\(text): the scheme lacks “://”; did you mean \(meant)?"))
    }

    @Test(
        "a host without a scheme is probed over https",
        arguments: [
            ("example.com", "https://example.com/", "example.com", 443),
            ("example.com:8443", "https://example.com:8443/", "example.com", 8443),
            ("example.com/a?b", "https://example.com/a?b", "example.com", 443),
            ("http://a.test/", "http://a.test/", "a.test", 80),
            ("2001:db8::1", "https://[2001:db8::1]/", "2001:db8::1", 443),
            ("wss://a.test", "wss://a.test", "a.test", 443),
        ])
    func targets(text: String, url: String, host: String, port: Int) throws {
        let target = try ProbeTarget(text)
        #expect(target.url == url)
        #expect(target.target.host == host)
        #expect(target.target.port == port)
    }

    @Test("an unreachable host is an error, and does not affect other probes")
    func unreachable() async throws {
        let lab = try SharedLabs.basic.get()
        let bench = try ProbeBench(lab) {
            $0.planner.connectTo.append(ConnectTo(host: "closed.test", port: nil, toHost: "127.0.0.1", toPort: 1))
        }
        let result = try await bench.probe("closed.test")
        #expect(result.verdict == .error && result.word == .unknown)
        #expect(result.rule == .netRefused)
        #expect(result.diagnosis?.apple?.code == -1004)
        #expect(try await bench.probe("good.lab.test").verdict == .pass)
    }

    @Test(
        "an origin that rejects clients without a certificate fails as the lab predicts",
        arguments: ["client-cert.lab.test", "client-cert12.lab.test"], ["ios10", "ios26.4"])
    func clientCertificate(name: String, os: String) async throws {
        let profile = try #require(OSProfile.named(os))
        let lab = try SharedLabs.full.get()
        let expected = try #require(lab.origin(named: name)).expectation(on: profile)
        let result = try await ProbeBench(lab).probe(name, on: profile)
        #expect(result.verdict == .fail && result.word == .failed)
        #expect(result.rule == expected.rule)
        #expect(result.diagnosis?.apple?.code == -1206)
        #expect(result.exception == nil)
        #expect(result.decisive?.facts?.clientCertificate == .asked)
    }

    @Test("a cleartext load is blocked without any connection, and its exception is proven by the ruling")
    func cleartext() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let result = try await bench.probe("http://nobody.test/")
        #expect(result.verdict == .fail && result.word == .blocked)
        #expect(result.answers.isEmpty)
        #expect(
            result.exception?.sentence
                == #"NSExceptionDomains "nobody.test": NSExceptionAllowsInsecureHTTPLoads = true"#)
        #expect(result.proof == "the ruling with it allows the load")
    }

    @Test("every address of a name is tried, and an unreachable one does not matter if another passes")
    func addresses() async throws {
        let lab = try SharedLabs.basic.get()
        let good = try #require(lab.origin(named: "good.lab.test"))
        let path = "good.lab.test"
        // ::1 is this machine, too, and has no listener on the port.
        let resolver = FixedNames([path: ["::1", "127.0.0.1"]])
        let bench = try ProbeBench(lab)
        var settings = bench.prober.settings
        settings.planner.connectTo = [ConnectTo(host: path, port: 443, toHost: nil, toPort: good.realPort)]
        let prober = try Prober(settings, resolver: resolver)
        defer { prober.stop() }
        let result = await prober.probe(
            try ProbeTarget(path), by: Judge(declaration: .secureDefaults, profile: .newest), asksNameless: true)
        #expect(result.answers.count == 2)
        #expect(result.answers.map(\.isError) == [true, false])
        #expect(result.verdict == .pass)
        #expect(result.nameless != nil)
        #expect(result.words(ProbeStyle(isVerbose: true)).contains("127.0.0.1:\(good.realPort), IPv4"))
    }

    @Test("a terminal gets a coloured verdict and wrapped sentences; lines to copy are not wrapped")
    func terminal() async throws {
        let result = try await ProbeBench(try SharedLabs.basic.get()).probe("rsa-kx.lab.test")
        let words = result.words(ProbeStyle(server: "nginx", isColoured: true, width: 60))
        #expect(
            words.contains(
                "\u{1B}[31mblocked\u{1B}[0m    on iOS 27: ats.forward-secrecy -1200 [3:-9858]\n"))
        let plain = words.replacing(#/\u{1B}\[\d+m/#, with: "").split(separator: "\n")
        for line in plain where !line.hasPrefix("  nginx") && !line.hasSuffix(">") {
            #expect(line.count <= 60 || !line.dropFirst(13).contains(" "), "\(line)")
        }
        #expect(
            plain.contains {
                $0.hasPrefix("  nginx      ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:") && $0.hasSuffix(")")
            })
    }

    @Test("results come in the order of the items, no matter how long each takes")
    func order() async throws {
        var taken: [Int] = []
        try await workInOrder(on: Array(0..<40), jobs: 7) { item in
            for _ in 0..<((item * 7) % 11) { await Task.yield() }
            return item
        } take: { index, result in
            #expect(index == result)
            taken.append(result)
        }
        #expect(taken == Array(0..<40))
    }
}

/// A resolver with fixed names.
private struct FixedNames: NameResolving {
    let names: [String: [String]]

    init(_ names: [String: [String]]) { self.names = names }

    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply {
        if let literal = HostAddress(host) { return .known(.addresses([literal])) }
        let addresses = (names[host] ?? []).compactMap { HostAddress($0) }
        return .known(addresses.isEmpty ? .failed(code: 1) : .addresses(addresses))
    }
}
