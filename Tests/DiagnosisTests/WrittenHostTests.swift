import Diagnosis
import Testing
import Text

@Suite("Hosts as persons write them")
struct WrittenHostTests {
    @Test(
        "every spelling is that under which loads are recorded, patterns too",
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
        "a host matches what was recorded with a dot behind it, and nothing longer",
        arguments: [
            ("a.example", "a.example.", true), ("a.example.", "a.example", true), ("*.example", "A.example.", true),
            ("a.example", "a.example.b", false), ("a.example", "b.a.example", false), ("a*", "a.example.", true),
            ("2001:db8:0::1", "2001:db8::1", true), ("2001:DB8:0::1", "2001:db8:0::1", true),
        ])
    func matching(text: String, recorded: String, isMatch: Bool) throws {
        #expect(try WrittenHost(text).globs.contains { $0.matches(recorded) } == isMatch)
    }

    @Test(
        "what no load can have is refused, with what to write",
        arguments: [
            ("https://a.example/x", "is a URL: write its host alone, a.example"),
            ("http://*.example/", "is no host: brackets must hold"),
            ("a.example:443", "has a port: write the host alone, a.example"),
            ("[2001:db8::1]:443", "has a port: write the host alone, 2001:db8::1"),
            ("a b.example", "is no host: a character that no host has; write one alone"),
            ("a.example/x", "a character that no host has"), ("", "the host is missing"), ("a..b", "an empty label"),
            (".a.example", "an empty label"), ("b\u{FC}*.example", "in its xn-- form"),
            ("a\u{200D}b.test", "in its xn-- form"), ("::g", "is no host"), ("1:2", "has a port"),
            ("fe80::1%", "is no host"), ("[10.0.0.1]", "a character that no host has"),
        ])
    func refusals(text: String, words: String) {
        do throws(WrittenHostFault) {
            let host = try WrittenHost(text)
            Issue.record("\(host) was taken")
        } catch {
            #expect(error.description.contains(words), "\(error)")
        }
    }
}
