import Capture
import Testing
import Text

@Suite("names that a command was told")
struct NameTests {
    @Test("a pair is known, others are not, and the older half is forgotten")
    func given() throws {
        let names = GivenNames(limit: 4)
        let address = try #require(IPAddress("192.0.2.1"))
        names.note("a.test", [address])
        #expect(names.leads("a.test", to: address))
        #expect(!names.leads("b.test", to: address))
        names.note("b.test", [address])
        names.note("c.test", [address])
        #expect(names.leads("a.test", to: address))
        names.note("d.test", [address])
        names.note("e.test", [address])
        #expect(!names.leads("a.test", to: address))
        #expect(names.leads("e.test", to: address))
    }

    @Test("resolv.conf keeps the search list and the options, and names another server")
    func file() {
        let text = ResolverFile.text(
            from: "# mine\nnameserver 10.0.0.1\nsearch corp.example\n nameserver 10.0.0.2\noptions edns0\nsortlist 1\n")
        #expect(text == "nameserver 127.0.0.1\nsearch corp.example\noptions edns0\n")
        #expect(ResolverFile.text(from: "") == "nameserver 127.0.0.1\n")
    }
}
