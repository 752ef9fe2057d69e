import ATSPolicy
import Records
import Testing

@Suite("Groups of loads")
struct LoadGroupTests {
    @Test("a group with an unnumbered handshake has no key; groups of different handshakes have different keys")
    func key() {
        let seen = SampleRecords.allowed()
        #expect(LoadGroup(seen).key == nil && LoadGroup(seen, handshakeNumber: 1).key != nil)
        #expect(LoadGroup(seen, handshakeNumber: 1).key != LoadGroup(seen, handshakeNumber: 2).key)
        var cleartext = seen
        cleartext.origin = nil
        #expect(LoadGroup(cleartext).key != nil)
    }

    @Test("256 slices are counted separately, and one more doubles their length")
    func slices() {
        var span = LoadSpan(0)
        for place in 0..<256 as Range<Int64> { span.add(1, between: place * 125, and: place * 125) }
        #expect(span.slice == 125 && span.counts.count == 256)
        span.add(1, between: 256 * 125, and: 256 * 125)
        #expect(span.slice == 250 && span.counts.count == 129 && span.counts[0] == 2)
    }

    @Test("URLs are counted without their queries, up to a limit")
    func urls() {
        var (one, other) = (URLTally(), URLTally())
        for path in ["/a?b=1", "/a?b=2", "/c"] { one.add(path) }
        for path in ["/c", "/d?"] { other.add(path) }
        #expect(one.count == 2 && !one.isFull)
        var group = LoadGroup(SampleRecords.allowed(), urls: one)
        var more = LoadGroup(SampleRecords.allowed(), urls: other)
        group.add(more)
        #expect(group.urls.count == 3)
        for number in 0..<URLTally.limit { one.add("/\(number)") }
        more.add(LoadGroup(SampleRecords.allowed(), urls: one))
        #expect(one.count == URLTally.limit && one.isFull && more.urls.isFull)
        one.add("/another")
        #expect(one.count == URLTally.limit)
    }

    @Test("loads with the same parts differ if they have other targets, verdicts or texts")
    func sameParts() {
        let one = SampleRecords.blocked()
        #expect(one.hasSameParts(as: one))
        let changes: [(inout LoadRecord) -> Void] = [
            { $0.load.target = LoadTarget(scheme: .https, host: "b.test", port: 8443) }, { $0.verdict = .allowed },
            { $0.refusal = .alert }, { $0.shown = nil }, { $0.recording = "b" }, { $0.via = nil },
            { $0.removed = [] }, { $0.masked = ["via"] },
        ]
        for change in changes {
            var other = one
            change(&other)
            #expect(!one.hasSameParts(as: other) && !one.sharesRow(with: other))
        }
    }

    @Test("a program is the same on another connection, and another one with another host, label, agent or release")
    func sameClient() {
        func client(
            _ address: String = "10.0.0.1:1", label: String? = "phone", agent: String? = "Demo/1", os: String = "ios26"
        ) -> RecordedClient {
            RecordedClient(address: address, label: label, userAgent: agent, loader: .app, os: os)
        }
        let one = client()
        #expect(one.isSame(as: one) && one.isSame(as: client("10.0.0.1:2")))
        let others = [client("10.0.0.2:1"), client(label: nil), client(agent: "Other/1"), client(os: "ios17")]
        for other in others { #expect(!one.isSame(as: other)) }
        #expect(!one.isSame(as: client().entering(by: .socks)))
    }

    @Test("descriptions of a device are equal by their contents")
    func devices() {
        let lines = ["one"]
        let one = RecordedDevice(.refused, how: "closed", confidence: .observed, lines: lines)
        #expect(one == one && one == RecordedDevice(.refused, how: "closed", confidence: .observed, lines: lines))
        #expect(one != RecordedDevice(.refused, how: "closed", confidence: .observed))
    }
}
