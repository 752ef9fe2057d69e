import ATSPolicy
import Testing

@Suite("local network privacy")
struct LocalNetworkPrivacyTests {
    @Test("on a Mac, EHOSTUNREACH (65) hints at the Local Network permission", arguments: [65, 113, 61] as [Int32])
    func hint(errno: Int32) {
        #expect(LocalNetworkPrivacy.hint(errno: errno, isMac: true).contains("Local Network") == (errno == 65))
        #expect(LocalNetworkPrivacy.hint(errno: errno, isMac: false).isEmpty)
    }
}
