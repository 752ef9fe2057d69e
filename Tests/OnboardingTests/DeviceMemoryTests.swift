import ATSPolicy
import Onboarding
import ProxyCore
import Records
import Testing
import Text

/// Devices are known by their visits to the page and by their loads.
@Suite("known devices")
struct DeviceMemoryTests {
    private let memory = DeviceMemory()

    private func visit(
        _ path: String, _ arrival: OwnRequest.Arrival, from client: String = "192.168.1.7", label: String? = nil,
        agent: String? = nil, at time: Int64 = 1
    ) {
        let certificate = PublicCertificate(
            name: "CA", der: [0x30], pem: "", fingerprint: String(repeating: "ab", count: 32))
        let onboarding = Onboarding(certificate: certificate, memory: memory) { [] }
        _ = onboarding.answer(
            OwnRequest(
                arrival, path: path, authority: Authority(host: "192.168.1.20", port: 9802), client: client,
                label: label, userAgent: agent, time: time))
    }

    private func load(
        _ scheme: LoadTarget.Scheme, from address: String = "192.168.1.7:50000", status: Int? = 200,
        by wireProtocol: RecordedRequest.WireProtocol = .http1, rule: RuleID? = nil, agent: String? = nil,
        to host: String = "a.test", at time: Int64 = 1000
    ) -> LoadRecord {
        var record = LoadRecord(
            time: time, recording: "first",
            client: RecordedClient(address: address, label: "Ann's", userAgent: agent, loader: .app, os: "ios18.4"),
            load: RecordedRequest(
                method: "GET", path: "/", target: LoadTarget(scheme: scheme, host: host, port: 443),
                wireProtocol: wireProtocol),
            policy: RecordedPolicy(source: nil, bundleID: nil, os: "ios18.4", basis: nil), verdict: .allowed)
        record.status = status
        if let rule {
            let finding = Finding(
                rule: rule, title: "", keyPath: nil, expected: "", observed: "", confidence: .documented, source: "")
            record.diagnosis = RecordedDiagnosis(findings: [finding], apple: nil, remedy: nil)
        }
        return record
    }

    private var lights: [String] {
        let seen = memory.devices.first?.seen ?? [:]
        return Light.allCases.filter { seen[$0] != nil }.map(\.rawValue)
    }

    @Test("a device that reports another release than the emulated one is marked until it stops")
    func reportedRelease() {
        memory.note([load(.https, agent: "Shop/1 CFNetwork/1494.0.5 Darwin/23.4.0")])
        #expect(memory.devices.first?.reportedRelease == "iOS 17.4" && memory.devices.first?.profile == "ios18.4")
        memory.note([load(.https, agent: "Shop/1 CFNetwork/3826.500.62 Darwin/24.4.0")])
        #expect(memory.devices.first?.reportedRelease == nil)
    }

    @Test("each kind of visit turns on the lights that it proves, and an unknown path turns on none")
    func visits() {
        visit("/nothing-is-here", .direct)
        #expect(memory.devices.isEmpty)
        visit("/", .direct, label: "Ann's", agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5)", at: 5)
        #expect(lights == ["reached"])
        visit("/lights/through.svg", .proxied)
        #expect(lights == ["reached", "through"])
        visit("/lights/trusted.svg", .direct)
        #expect(lights == ["reached", "through"])
        visit("/lights/trusted.svg", .secure, at: 7)
        #expect(lights == ["reached", "through", "installed", "trusted"])
        let device = memory.devices.first
        #expect(device?.address == "192.168.1.7")
        #expect(device?.label == "Ann's")
        #expect(device?.system == "iPhone")
        #expect(device?.seen[.trusted] == 7000)
        #expect(device?.last == 7000)
    }

    @Test("fetching the certificate is stored for that client only, and turns on no light")
    func fetched() {
        visit("/proxy.pac", .direct)
        #expect(memory.devices.first?.fetched == nil)
        visit("/atsgate-ca.mobileconfig", .direct, at: 3)
        visit("/", .direct, from: "192.168.1.8")
        #expect(memory.devices.map(\.fetched) == [3000, nil])
        #expect(lights == ["reached"])
    }

    @Test("a load proves that traffic passes through the proxy, and a decrypted one that the gate is trusted")
    func loads() {
        memory.note([load(.http)])
        #expect(lights == ["reached", "through", "apps"])
        memory.note([load(.https, status: nil), load(.https, by: .tunnel)])
        #expect(lights == ["reached", "through", "apps"])
        memory.note([load(.https, at: 9)])
        #expect(lights == ["reached", "through", "installed", "trusted", "apps"])
        #expect(memory.devices.first?.seen[.trusted] == 9)
        #expect(memory.devices.first?.label == "Ann's")
        #expect(memory.devices.first?.profile == "ios18.4")
    }

    @Test("of several loads on one connection, each that proves something new counts")
    func connection() {
        let first = load(.https, status: nil)
        var second = first
        second.status = 200
        memory.note([first, first, second, first])
        #expect(lights == ["reached", "through", "installed", "trusted", "apps"])
    }

    @Test("a hello shows if ATS is on in the installed build; the latest one counts")
    func build() throws {
        func hello(_ kind: HelloReading.Kind, at time: Int64) -> LoadRecord {
            var record = load(.https, at: time)
            var hello = RecordedHello(HelloReading(HelloContent(legacyVersion: 0x0303)), ja4: nil)
            hello.reads = kind
            record.client = record.client.showing(hello)
            return record
        }
        memory.note([hello(.notInForce, at: 1)])
        #expect(lights.contains("relaxed"))
        #expect(memory.devices.first?.build == .relaxed)
        memory.note([hello(.notInForce, at: 2), hello(.ats, at: 3)])
        #expect(!lights.contains("relaxed"))
        #expect(memory.devices.first?.build == .inForce)
        memory.note([hello(.other, at: 4)])
        #expect(memory.devices.first?.build == .inForce)
    }

    @Test("checks of the connection and of Private Relay do not count as loads of an app")
    func checks() {
        memory.note([load(.https, status: nil, to: "mask.icloud.com")])
        #expect(memory.devices.first?.onlyChecks == false && lights == ["reached", "through"])
        memory.note([load(.http, to: "captive.apple.com"), load(.https, status: nil, to: "mask.icloud.com")])
        #expect(memory.devices.first?.onlyChecks == true && lights == ["reached", "through"])
        memory.note([load(.http, to: "captive.apple.com"), load(.http, to: "api.example.com")])
        #expect(memory.devices.first?.onlyChecks == false && lights == ["reached", "through", "apps"])
    }

    @Test("a device with nothing but checks of the connection sees what to turn off, and no other device does")
    func checksPage() throws {
        memory.note([load(.http, to: "captive.apple.com")])
        func page(for client: String) throws -> String {
            let certificate = PublicCertificate(
                name: "CA", der: [0x30], pem: "", fingerprint: String(repeating: "ab", count: 32))
            let request = OwnRequest(
                .direct, path: "/", authority: Authority(host: "192.168.1.20", port: 9802), client: client, time: 1)
            let answer = Onboarding(certificate: certificate, memory: memory) { [] }.answer(request)
            return String(decoding: try #require(answer).body, as: UTF8.self)
        }
        let own = try page(for: "192.168.1.7")
        #expect(own.contains("<li id=\"apps\" data-state=\"half\">") && own.contains("turn off VPN"))
        #expect(try page(for: "192.168.1.8").contains("<li id=\"apps\" data-state=\"off\">"))
        memory.note([load(.http)])
        #expect(try page(for: "192.168.1.7").contains("<li id=\"apps\" data-state=\"on\">"))
    }

    @Test("a request for the lights alone adds no device, but updates a known one")
    func lightsAlone() {
        visit("/lights.json", .direct, from: "127.0.0.1")
        #expect(memory.devices.isEmpty)
        visit("/", .direct, at: 1)
        visit("/lights.json", .proxied, at: 2)
        #expect(lights == ["reached", "through"])
        #expect(memory.devices.first?.last == 2000)
    }

    @Test("of several loads the latest time counts, in any order of arrival")
    func latest() {
        memory.note([load(.https, at: 5), load(.https, at: 9), load(.https, at: 7)])
        #expect(memory.devices.first?.last == 9)
        #expect(memory.devices.first?.seen[.trusted] == 9)
        memory.note([load(.https, status: nil, rule: .clientRejectedLeaf, at: 20)])
        memory.note([load(.https, status: nil, rule: .clientRejectedLeaf, at: 12)])
        #expect(memory.devices.first?.refused == 20)
    }

    @Test("a device that rejects the gate's leaf is marked with the time")
    func refusal() {
        memory.note([load(.https, status: nil, rule: .clientRejectedLeaf, at: 4)])
        #expect(memory.devices.first?.refused == 4)
        #expect(lights == ["reached", "through", "apps"])
    }

    @Test("beyond the limit the longest silent devices are dropped, and the latest comes first")
    func bound() {
        memory.note((0..<300).map { load(.http, from: "10.0.\($0 / 256).\($0 % 256):1", at: Int64($0)) })
        #expect(memory.devices.count == 256)
        #expect(memory.devices.first?.address == "10.0.1.43")
        #expect(memory.devices.last?.address == "10.0.0.44")
    }

    @Test("an IPv6 address is stored without brackets, from visits and from loads")
    func addresses() {
        memory.note([load(.http, from: "[fe80::1]:50000")])
        visit("/", .direct, from: "fe80::1")
        #expect(memory.devices.map(\.address) == ["fe80::1"])
    }
}
