import Dialing
import Testing

@Suite("hosts that bypass the parent proxy, by curl's rules")
struct ParentBypassTests {
    @Test(
        "these rules match",
        arguments: [
            ("example.com", "example.com", 443), ("example.com", "a.b.example.com", 80),
            (".example.com", "example.com", 1),
            ("*.example.com", "a.example.com", 1), ("EXAMPLE.com.", "example.com", 1),
            ("example.com", "example.com.", 1),
            ("*", "anything", 1), ("a.test, b.test", "b.test", 1), ("a.test b.test", "b.test", 1),
            ("a.test:8080", "a.test", 8080),
            ("192.0.2.1", "192.0.2.1", 1), ("192.0.2.0/24", "192.0.2.200", 1), ("192.0.2.1:80", "192.0.2.1", 80),
            ("[::1]", "::1", 443), ("[::1]:443", "::1", 443), ("2001:db8::/32", "2001:db8::5", 1),
            ("*:80", "a.test", 80), ("192.0.2.0/24", "192.0.513", 1), ("192.0.2.1", "3221225985", 1),
        ])
    func fits(list: String, host: String, port: Int) {
        #expect(ParentBypass([list]).contains(host, port))
        #expect(ParentBypass(["other.test", list]).contains(host, port))
    }

    @Test(
        "these rules do not match",
        arguments: [
            ("", "a.test", 80), (" , ", "a.test", 80), ("example.com", "badexample.com", 1), ("example.com", "com", 1),
            ("a.test:8080", "a.test", 80), ("192.0.2.0/24", "192.0.3.1", 1), ("192.0.2.1:80", "192.0.2.1", 443),
            ("0.2.1", "192.0.2.1", 1), ("10.0.0.0/8", "::1", 1), ("10.0.0.0/8", "a.test", 1), ("*:80", "a.test", 443),
        ])
    func doesNotFit(list: String, host: String, port: Int) {
        #expect(!ParentBypass([list]).contains(host, port))
    }

    @Test("a parent's descriptions mask its credentials")
    func masked() {
        let parent = ParentProxy(host: "::1", port: 3128, user: "reader", password: "secret")
        for text in ["\(parent)", String(reflecting: parent), parent.name, String(describing: Optional(parent))] {
            #expect(!text.contains("reader") && !text.contains("secret") && !text.contains("Basic"))
        }
        #expect("\(parent)" == "http://***@[::1]:3128")
        #expect("\(ParentProxy(host: "A.test", port: 1))" == "http://a.test:1")
    }
}
