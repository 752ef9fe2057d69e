import ATSPolicy
import Diagnosis
import Testing

struct URLTextTests {
    @Test(
        "URLs are read strictly",
        arguments: [
            ("http://a.com", "http://a.com", "/"),
            ("HTTPS://A.com:8443/x?y=1#z", "https://a.com:8443", "/x?y=1"),
            ("ws://a.com/s", "http://a.com", "/s"),
            ("wss://a.com:443?q", "https://a.com", "/?q"),
            ("https://user:p%40ss@a.com/", "https://a.com", "/"),
            ("http://a.com./", "http://a.com.", "/"),
            ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]", "/"),
            ("http://[fe80::1%25en0]/", "http://[fe80::1%en0]", "/"),
            ("http://a_b.local", "http://a_b.local", "/"),
            ("http://1.2.3.4:65535", "http://1.2.3.4:65535", "/"),
        ])
    func accepted(text: String, origin: String, path: String) throws {
        let url = try URLText.parse(text)
        #expect(url.target.origin == origin && url.path == path && url.text == text)
    }

    @Test(
        "without a scheme https is assumed, with a remark",
        arguments: [
            ("a.com", "https://a.com", "/"), ("a.com:8443", "https://a.com:8443", "/"),
            ("a.com/x:y?z", "https://a.com", "/x:y?z"), ("localhost", "https://localhost", "/"),
        ])
    func withoutScheme(text: String, origin: String, path: String) throws {
        let url = try URLText.parse(text)
        #expect(url.target.origin == origin && url.path == path && url.text == "https://" + text)
        #expect(url.remarks == ["No scheme given: https is assumed."])
    }

    /// Source: UTS 46, as implemented by Foundation's URL.
    @Test(
        "an international host is converted to ASCII, with a remark",
        arguments: [
            ("http://b\u{FC}cher.de", "xn--bcher-kva.de"), ("http://B\u{DC}CHER.de:81", "xn--bcher-kva.de"),
            ("http://fa\u{DF}.de", "xn--fa-hia.de"), ("http://\u{65E5}\u{672C}\u{3002}jp", "xn--wgv71a.jp"),
            ("http://xn--bcher-kva.de", "xn--bcher-kva.de"),
        ])
    func international(text: String, host: String) throws {
        let url = try URLText.parse(text)
        #expect(url.target.host == host && url.text == text)
        #expect(url.remarks == (text.contains("xn--") ? [] : ["The host in ASCII is \(host)."]))
    }

    @Test(
        "text that is not a URL is rejected with the offset of the fault",
        arguments: [
            ("", 0), ("/a.com", 0), ("mailto:a.com", 0), ("http:/a.com", 0), ("http//a.com", 0), ("https//a.com/x", 0),
            ("http:a.com", 0), ("wss:/a.com", 0),
            ("a b.com", 1), ("a..com", 2),
            ("ftp://a.com", 0), ("http://", 7),
            ("http:///x", 7),
            ("http://:80", 7), ("http://a.com:", 12), ("http://a.com:0", 12), ("http://a.com:65536", 12),
            ("http://a.com:8x", 12), ("http://a.com:+1", 12), ("http://a b.com", 8), ("http://a.com/\n", 13),
            ("http://a..com", 9), ("http://.a.com", 7), ("http://.", 7), ("http://a\u{200D}b.test", 7),
            ("http://\u{FF0E}.test", 7),
            ("http://a%2Ecom", 8), ("http://[::1", 7), ("http://[1.2.3.4]", 8), ("http://[::1]x", 12),
            ("http://[::1%en0]", 11), ("http://a.com:80:", 15), ("http://*.a.com", 7), ("http://a\\b", 8),
        ])
    func refused(text: String, offset: Int) {
        do throws(URLTextError) {
            let url = try URLText.parse(text)
            Issue.record("\(url) was accepted")
        } catch {
            #expect(error.offset == offset && error.text == text, "\(error)")
        }
    }

    @Test(
        "a misspelled scheme gets a suggestion, and positions count characters of what was typed",
        arguments: [
            ("http//a.com", "the scheme lacks “://”; did you mean http://a.com? (at character 1)"),
            ("HTTPS:/a.com/x", "the scheme lacks “://”; did you mean https://a.com/x? (at character 1)"),
            ("a..com", "(at character 3)"), ("https://b\u{FC}ch er.de", "(at character 13)"),
        ])
    func suggestion(text: String, words: String) {
        do throws(URLTextError) {
            let url = try URLText.parse(text)
            Issue.record("\(url) was accepted")
        } catch {
            #expect("\(error)".hasSuffix(words), "\(error)")
        }
    }

    @Test("a host with the name of a scheme may have a port or a path", arguments: ["http:80", "https:8443/x", "ws/x"])
    func schemeAsHost(text: String) throws {
        #expect(try URLText.parse(text).text == "https://" + text)
    }
}
