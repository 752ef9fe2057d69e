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
        "what is no URL is refused, with the place of the fault",
        arguments: [
            ("", 0), ("a.com", 0), ("http:/a.com", 0), ("ftp://a.com", 0), ("http://", 7), ("http:///x", 7),
            ("http://:80", 7), ("http://a.com:", 12), ("http://a.com:0", 12), ("http://a.com:65536", 12),
            ("http://a.com:8x", 12), ("http://a.com:+1", 12), ("http://a b.com", 8), ("http://a.com/\n", 13),
            ("http://a..com", 9), ("http://.a.com", 7), ("http://.", 7), ("http://b\u{FC}cher.de", 8),
            ("http://a%2Ecom", 8), ("http://[::1", 7), ("http://[1.2.3.4]", 8), ("http://[::1]x", 12),
            ("http://[::1%en0]", 11), ("http://a.com:80:", 15), ("http://*.a.com", 7), ("http://a\\b", 8),
        ])
    func refused(text: String, offset: Int) {
        do throws(URLTextError) {
            let url = try URLText.parse(text)
            Issue.record("\(url) was taken")
        } catch {
            #expect(error.offset == offset && error.text == text, "\(error)")
        }
    }
}
