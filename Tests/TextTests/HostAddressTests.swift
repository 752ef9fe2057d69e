import Testing
import Text

@Suite struct HostAddressTests {
    @Test(
        "the text of a host is read as a resolver reads it",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
            ("192.0.514", "192.0.2.2"), ("0300.0.02.2", "192.0.2.2"), ("0", "0.0.0.0"), ("::1", "::1"),
        ])
    func addresses(host: String, meant: String) throws {
        #expect(IPAddress(host: host) == IPAddress(meant))
    }

    @Test(
        "a name is not an address",
        arguments: ["localhost", "a.b", "1.com", "1.2.3.4.5", "256.1.1.1", "0x", "", "127.1.", "4294967296", "face"])
    func names(host: String) {
        #expect(IPAddress(host: host) == nil)
    }
}
