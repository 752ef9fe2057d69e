import Testing
import Text

@Suite struct HostAddressTests {
    @Test(
        "a host text is read as a resolver reads it",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
            ("192.0.514", "192.0.2.2"), ("0300.0.02.2", "192.0.2.2"), ("0", "0.0.0.0"), ("::1", "::1"),
        ])
    func addresses(host: String, meant: String) throws {
        #expect(IPAddress(host: host) == IPAddress(meant))
    }

    @Test(
        "a name is no address",
        arguments: ["localhost", "a.b", "1.com", "1.2.3.4.5", "256.1.1.1", "0x", "", "127.1.", "4294967296", "face"])
    func names(host: String) {
        #expect(IPAddress(host: host) == nil)
    }

    @Test(
        "addresses that end at the host itself",
        arguments: [
            "127.1", "127.9.9.9", "0", "0.0.0.0", "::", "::1", "::ffff:127.0.0.1", "192.0.2.7", "::ffff:192.0.2.7",
        ])
    func own(host: String) throws {
        let address = try #require(IPAddress(host: host))
        #expect(address.endsHere(own: [IPAddress("192.0.2.7")].compactMap(\.self)))
    }

    @Test("addresses that do not", arguments: ["192.0.2.8", "169.254.169.254", "2001:db8::1"])
    func others(host: String) throws {
        let address = try #require(IPAddress(host: host))
        #expect(!address.endsHere(own: [IPAddress("192.0.2.7")].compactMap(\.self)))
    }
}
