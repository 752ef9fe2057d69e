import Seeded
import Testing
import Text

@Suite("addresses as text")
struct IPAddressTests {
    @Test(
        "an address is read as by inet_pton, and written as in RFC 5952",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::0001", "2001:db8::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
            ("::FFFF:c000:201", "::ffff:192.0.2.1"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
            ("1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:c000:201"),
        ])
    func readAndWritten(text: String, spelling: String) throws {
        let address = try #require(IPAddress(text))
        #expect("\(address)" == spelling)
        #expect(IPAddress(spelling) == address)
        #expect(IPAddress(bytes: address.bytes) == address)
    }

    @Test(
        "text that inet_pton rejects is not an address",
        arguments: [
            "", ".", ":", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04", "1.2.3.4 ", " 1.2.3.4",
            "1..3.4",
            ".1.2.3.4", "1.2.3.4.", "0x1.2.3.4", "1.2.3.-4", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3",
            ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:", "12345::", "g::", "::1%eth0", "[::1]", "1:2:3:4:5:6:7:1.2.3.4",
            "::1.2.3", "::1.2.3.4.5", "::a.2.3.4", "1.2.3.4::", "::1:", "1:2:3:4:5:6:7:8::", "::1\0", "\u{661}.2.3.4",
        ])
    func refused(text: String) {
        #expect(IPAddress(text) == nil)
        #expect(Array(text.utf8).withUnsafeBytes { IPAddress(text: $0) } == nil)
    }

    @Test("every address reads back unchanged, from a string and from bytes of text")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let sparse = UInt128.random(in: 0 ... .max, using: &random) & UInt128.random(in: 0 ... .max, using: &random)
            let groupMask = (0..<8).reduce(UInt128(0)) { mask, _ in
                mask << 16 | (Bool.random(using: &random) ? 0xFFFF : 0)
            }
            for address in [
                IPAddress.v4(UInt32.random(in: 0 ... .max, using: &random)), .v6(sparse), .v6(sparse & groupMask),
            ] {
                let text = "\(address)"
                #expect(IPAddress(text) == address, "\(text)")
                #expect(Array(text.utf8).withUnsafeBytes { IPAddress(text: $0) } == address)
                #expect(IPAddress(bytes: address.bytes) == address)
            }
        }
    }

    @Test("only 4 or 16 bytes are an address", arguments: [0, 3, 5, 15, 17])
    func otherLengths(count: Int) {
        #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test(
        "loopback, unspecified and link-local addresses are recognised in every spelling",
        arguments: [
            ("127.0.0.1", "loopback"), ("127.255.0.9", "loopback"), ("::1", "loopback"),
            ("::ffff:127.0.0.1", "loopback"),
            ("0.0.0.0", "unspecified"), ("0.1.2.3", "unspecified"), ("::", "unspecified"),
            ("::ffff:0.0.0.0", "unspecified"), ("169.254.169.254", "link-local"), ("fe80::1", "link-local"),
            ("febf::1", "link-local"), ("::ffff:169.254.0.1", "link-local"), ("128.0.0.1", ""), ("126.0.0.1", ""),
            ("::2", ""), ("fec0::1", ""), ("fe7f::1", ""), ("169.253.0.1", ""), ("192.0.2.1", ""), ("1.0.0.0", ""),
        ])
    func kinds(text: String, kind: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isLoopback == (kind == "loopback"))
        #expect(address.isUnspecified == (kind == "unspecified"))
        #expect(address.isLinkLocal == (kind == "link-local"))
    }

    @Test(
        "numeric forms give the same addresses as inet_aton",
        arguments: [
            ("127.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f000001", "127.0.0.1"), ("0X7F.1", "127.0.0.1"),
            ("017700000001", "127.0.0.1"), ("3221225986", "192.0.2.2"), ("0xc0000202", "192.0.2.2"),
            ("192.0.514", "192.0.2.2"), ("192.0.2.2", "192.0.2.2"), ("0300.0.02.002", "192.0.2.2"), ("0", "0.0.0.0"),
            ("0x0", "0.0.0.0"), ("00", "0.0.0.0"), ("4294967295", "255.255.255.255"), ("1.16777215", "1.255.255.255"),
            ("1.2.65535", "1.2.255.255"),
        ])
    func inetAton(text: String, address: String) throws {
        #expect(IPAddress(inetAton: text) == IPAddress(address))
        #expect(IPAddress(inetAton: text) != nil)
    }

    @Test(
        "text that inet_aton rejects is not an address",
        arguments: [
            "", ".", "1.", ".1", "1..2", "1.2.3.4.5", "4294967296", "99999999999999999999", "256.1", "1.16777216",
            "1.2.65536", "1.2.3.256", "08", "0x", "0xg", "0x100000000", "1a", "-1", "+1", "1 ", " 1", "1.2.3.4.", "a.b",
            "example.com", "::1", "0x7f.0x",
        ])
    func inetAtonRefused(text: String) {
        #expect(IPAddress(inetAton: text) == nil)
    }

    @Test("random bytes never trap")
    func randomBytes() {
        var random = SeededGenerator(seed: 11)
        let letters = Array("0123456789abcdefx:.%[]/ \u{e9}".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...50, using: &random)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &random)]
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let address = IPAddress(text)
            if let address { #expect(IPAddress("\(address)") == address) }
            if let loose = IPAddress(inetAton: text), let address { #expect(loose == address) }
            _ = AddressBlock(text)
        }
    }
}
