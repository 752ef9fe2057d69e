import Testing
import Text

@Suite("address ranges")
struct AddressBlockTests {
    @Test(
        "a range contains the addresses with its prefix, and none of the other family",
        arguments: [
            ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true),
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "::1", false), ("::/0", "192.0.2.1", false), ("::/0", "2001:db8::1", true),
            ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
            ("192.0.2.0/31", "192.0.2.1", true), ("192.0.2.0/32", "192.0.2.1", false), ("fe80::/10", "febf::1", true),
            ("fe80::/10", "fec0::1", false), ("::1/128", "::1", true), ("::1", "::1", true), ("::1", "::", false),
        ])
    func membership(range: String, address: String, isIn: Bool) throws {
        let block = try #require(AddressBlock(range))
        #expect(block.contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(
        "text that is neither a range nor an address is rejected",
        arguments: [
            "", "/", "/8", "10/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "::/129",
            "10.0.0.0/0008", "10.0.0.0/ 8", "x", "10.0.0.0/a", "[::1]/128", "10.0.0.0/\u{663}",
        ])
    func refused(text: String) {
        #expect(AddressBlock(text) == nil)
    }

    @Test("a prefix length outside the family's limits gives no range", arguments: [-1, 33, 129])
    func badPrefix(bits: Int) {
        #expect(AddressBlock(.v4(0), prefixBits: bits) == nil)
        #expect(bits == 33 || AddressBlock(.v6(0), prefixBits: bits) == nil)
    }
}
