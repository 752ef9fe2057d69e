import Diagnosis
import Testing
import Text

@Suite("hosts typed by users")
struct WrittenHostTests {
    @Test(
        "every spelling is converted to the recorded one, also in patterns",
        arguments: [
            ("A.Example.COM.", "a.example.com"), ("b\u{FC}cher.example", "xn--bcher-kva.example"),
            ("B\u{DC}CHER.example.", "xn--bcher-kva.example"), ("\u{65E5}\u{672C}\u{3002}jp", "xn--wgv71a.jp"),
            ("[2001:DB8:0:0::1]", "2001:db8::1"), ("2001:db8:0::1", "2001:db8::1"), ("fe80::1%EN0", "fe80::1%en0"),
            ("a_b.local", "a_b.local"), ("10.0.0.1", "10.0.0.1"), ("*", "*"), ("*.example.com", "*.example.com"),
            ("API-*", "api-*"), ("10.0.*", "10.0.*"), ("*.b\u{FC}cher.example", "*.xn--bcher-kva.example"),
            ("a?.example.", "a?.example"), ("2001:DB8:*", "2001:db8:*"), ("[2001:db8:?::*]", "2001:db8:?::*"),
        ])
    func spellings(text: String, spelling: String) throws {
        let host = try WrittenHost(text)
        #expect(host.spelling == spelling)
        #expect(host.isPattern == (text.contains("*") || text.contains("?")))
        #expect(try WrittenHost(spelling).spelling == spelling)
    }

    @Test(
        "a host matches a recorded one with a trailing dot, and nothing longer",
        arguments: [
            ("a.example", "a.example.", true), ("a.example.", "a.example", true), ("*.example", "A.example.", true),
            ("a.example", "a.example.b", false), ("a.example", "b.a.example", false), ("a*", "a.example.", true),
            ("2001:db8:0::1", "2001:db8::1", true), ("2001:DB8:0::1", "2001:db8:0::1", true),
        ])
    func matching(text: String, recorded: String, isMatch: Bool) throws {
        #expect(try WrittenHost(text).globs.contains { $0.matches(recorded) } == isMatch)
    }

    @Test(
        "a host that no load can have is rejected, with advice",
        arguments: [
            ("https://a.example/x", "is a URL: write its host alone, a.example"),
            ("http://*.example/", "is not a host: brackets must contain"),
            ("a.example:443", "has a port: write the host alone, a.example"),
            ("[2001:db8::1]:443", "has a port: write the host alone, 2001:db8::1"),
            ("a b.example", "is not a host: the host contains a character that is not allowed; write a host such as"),
            ("a.example/x", "a character that is not allowed"), ("", "the host is missing"), ("a..b", "an empty label"),
            (".a.example", "an empty label"), ("b\u{FC}*.example", "in its xn-- form"),
            ("a\u{200D}b.test", "in its xn-- form"), ("::g", "is not a host"), ("1:2", "has a port"),
            ("fe80::1%", "is not a host"), ("[10.0.0.1]", "a character that is not allowed"),
        ])
    func refusals(text: String, words: String) {
        do throws(WrittenHostFault) {
            let host = try WrittenHost(text)
            Issue.record("\(host) was accepted")
        } catch {
            #expect(error.description.contains(words), "\(error)")
        }
    }
}
