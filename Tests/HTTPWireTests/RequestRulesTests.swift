import HTTPWire
import Testing

@Suite("request fields that proxies must obey")
struct RequestRulesTests {
    @Test(
        "TRACE and OPTIONS without forwards left are recognized (RFC 9110 section 7.6.2)",
        arguments: [
            ("OPTIONS", "0", true), ("TRACE", "0", true), ("TRACE", "000", true), ("OPTIONS", "1", false),
            ("GET", "0", false), ("POST", "0", false), ("OPTIONS", "", false), ("OPTIONS", "-0", false),
            ("OPTIONS", "0x0", false), ("TRACE", "99999999999999999999", false),
        ])
    func hasNoForwardsLeft(method: String, value: String, isLast: Bool) throws {
        let head = try head("\(method) /a HTTP/1.1|Host: a|Max-Forwards: \(value)||")
        #expect(head.hasNoForwardsLeft == isLast)
    }

    @Test(
        "Max-Forwards is decremented for TRACE and OPTIONS only",
        arguments: [
            ("OPTIONS", "2", "1"), ("TRACE", "1", "0"), ("TRACE", "0", "0"), ("GET", "5", "5"), ("TRACE", "x", "x"),
            ("OPTIONS", "99999999999999999999", "254"),
        ])
    func countForward(method: String, value: String, next: String) throws {
        var head = try head("\(method) /a HTTP/1.1|Host: a|Max-Forwards: \(value)||")
        head.countForward()
        #expect(head.fields.value(of: .maxForwards) == next)
    }

    @Test("a request without Max-Forwards is unchanged")
    func noField() throws {
        var head = try head("OPTIONS * HTTP/1.1|Host: a||")
        head.countForward()
        #expect(!head.hasNoForwardsLeft && head.fields.value(of: .maxForwards) == nil)
    }

    @Test(
        "an empty Host is refused if the target contains no host",
        arguments: [
            ("GET / HTTP/1.1", WireError.badHost), ("OPTIONS * HTTP/1.1", .badHost), ("GET / HTTP/1.0", .badHost),
            ("GET http://a/ HTTP/1.1", nil), ("CONNECT a:443 HTTP/1.1", nil),
        ])
    func emptyHost(line: String, error: WireError?) {
        for host in ["Host:", "Host: ", "host:\t"] {
            #expect(Transcript.of(wire("\(line)|\(host)||")).error == error)
        }
    }

    private func head(_ text: String) throws -> RequestHead {
        var reader = MessageReader.requests()
        let step = try wire(text).withUnsafeBytes { try reader.next(in: $0) }
        guard case .requestHead(let head)? = step.event else { throw WireError.headCutShort }
        return head
    }
}
