import ATSPolicy
import Testing
import Text

@Suite struct AppleErrorTests {
    static let identifiers = LogIdentifiers(task: "5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F", taskIndex: 1, connection: 4)
    static let url = "https://api.example.com/v1"
    static let task = "Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1>"

    static func error(
        _ failure: LoadFailure, _ profile: OSProfile, url: String = url, facts: HandshakeFacts? = nil
    ) -> AppleError {
        AppleErrorTable.error(
            for: failure, target: RuleCases.target, urlText: url, profile: profile, facts: facts,
            identifiers: identifiers)
    }

    private static let oldMessage = "An SSL error has occurred and a secure connection to the server cannot be made."
    private static let newMessage = "A TLS error caused the secure connection to fail."

    @Test("cleartext: three lines, no stream error", arguments: ["ios18.4", "macos15.4", "ios26", "macos26"])
    func cleartext(profile: String) throws {
        let error = Self.error(.cleartext, try #require(OSProfile.named(profile)), url: "http://api.example.com/v1")
        let message =
            "The resource could not be loaded because the App Transport Security policy requires the use of a secure "
            + "connection."
        let golden = [
            "App Transport Security has blocked a cleartext HTTP connection to api.example.com since it is insecure. "
                + "Use HTTPS instead or add this domain to Exception Domains in your Info.plist.",
            "Cannot start load of \(Self.task) since it does not conform to ATS policy",
            "\(Self.task) finished with error [-1022] Error Domain=NSURLErrorDomain Code=-1022 \"\(message)\" "
                + "UserInfo={NSLocalizedDescription=\(message), "
                + "NSErrorFailingURLStringKey=http://api.example.com/v1, "
                + "NSErrorFailingURLKey=http://api.example.com/v1, "
                + "_NSURLErrorRelatedURLSessionTaskErrorKey=(\"LocalData\(Self.task)\"), "
                + "_NSURLErrorFailingURLSessionTaskErrorKey=LocalData\(Self.task), "
                + "NSUnderlyingError=0x... {Error Domain=kCFErrorDomainCFNetwork Code=-1022 \"(null)\"}}",
        ]
        #expect(
            error
                == AppleError(
                    domain: "NSURLErrorDomain", code: -1022,
                    constant: "NSURLErrorAppTransportSecurityRequiresSecureConnection", message: message, log: golden,
                    confidence: .observed))
    }

    /// The last line of a TLS failure with the chain of ``RuleCases``.
    static func finished(_ code: Int, _ status: Int, _ message: String, hasChain: Bool) -> String {
        let chain =
            "(\"<cert(0x...) s: api.example.com i: Example CA 1>\", \"<cert(0x...) s: Example CA 1 i: Example Root>\")"
        let trust = "<SecTrustRef: 0x...>"
        let path = "satisfied (Path is satisfied), viable, interface: en0[802.11], ipv4, dns, proxy"
        let underlying =
            "0x... {Error Domain=kCFErrorDomainCFNetwork Code=\(code) \"(null)\" "
            + "UserInfo={_kCFStreamPropertySSLClientCertificateState=0, "
            + (hasChain ? "kCFStreamPropertySSLPeerTrust=\(trust), " : "_NSURLErrorNWPathKey=\(path), ")
            + "_kCFNetworkCFStreamSSLErrorOriginalValue=\(status), _kCFStreamErrorDomainKey=3, "
            + "_kCFStreamErrorCodeKey=\(status)"
            + (hasChain ? ", kCFStreamPropertySSLPeerCertificates=\(chain)" : "") + "}}"
        return "\(task) finished with error [\(code)] Error Domain=NSURLErrorDomain Code=\(code) \"\(message)\" "
            + "UserInfo={NSLocalizedRecoverySuggestion=Would you like to connect to the server anyway?, "
            + "_kCFStreamErrorDomainKey=3, " + (hasChain ? "NSErrorPeerCertificateChainKey=\(chain), " : "")
            + "NSErrorClientCertificateStateKey=0, NSErrorFailingURLKey=\(url), NSErrorFailingURLStringKey=\(url), "
            + "NSUnderlyingError=\(underlying), "
            + "_NSURLErrorRelatedURLSessionTaskErrorKey=(\"LocalData\(task)\"), _kCFStreamErrorCodeKey=\(status), "
            + "_NSURLErrorFailingURLSessionTaskErrorKey=LocalData\(task), "
            + (hasChain ? "NSURLErrorFailingURLPeerTrustErrorKey=\(trust), " : "")
            + "NSLocalizedDescription=\(message)}"
    }

    @Test("strict trust: -1200 and -9802 in six lines, with the message of the generation")
    func strictTrust() {
        for (profile, message) in [(OSProfile.iOS18_4, Self.oldMessage), (.macOS26, Self.newMessage)] {
            let error = Self.error(.trust(.expired, isStrict: true), profile, facts: RuleCases.facts)
            let golden = [
                "ATS failed system trust",
                "Connection 4: system TLS Trust evaluation failed(-9802)",
                "Connection 4: TLS Trust encountered error 3:-9802",
                "Connection 4: encountered error(3:-9802)",
                "\(Self.task) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])",
                Self.finished(-1200, -9802, message, hasChain: true),
            ]
            #expect(
                error
                    == AppleError(
                        domain: "NSURLErrorDomain", code: -1200, constant: "NSURLErrorSecureConnectionFailed",
                        message: message,
                        stream: AppleError.Stream(domain: 3, code: -9802, constant: "errSSLFatalAlert", detail: -9886),
                        log: golden,
                        confidence: profile == .iOS18_4 ? .observed : .inferred))
        }
    }

    @Test("lax trust: -1202 with a number for each reason; log lines are known for 18 and earlier only")
    func laxTrust() {
        let message =
            "The certificate for this server is invalid. You might be connecting to a server that is pretending to "
            + "be “api.example.com” which could put your confidential information at risk."
        let expected: [(RuleID, Int, String)] = [
            (.selfSigned, -9813, "errSSLNoRootCert"), (.untrustedRoot, -9813, "errSSLNoRootCert"),
            (.incompleteChain, -9807, "errSSLXCertChainInvalid"), (.expired, -9814, "errSSLCertExpired"),
            (.notYetValid, -9815, "errSSLCertNotYetValid"), (.hostName, -9843, "errSSLHostNameMismatch"),
            (.noSAN, -9843, "errSSLHostNameMismatch"), (.trustKeySize, -9807, "errSSLXCertChainInvalid"),
            (.trustSignatureHash, -9807, "errSSLXCertChainInvalid"), (.revoked, -9807, "errSSLXCertChainInvalid"),
        ]
        for (rule, status, constant) in expected {
            let old = Self.error(.trust(rule, isStrict: false), .iOS18_4, facts: RuleCases.facts)
            #expect(old.code == -1202 && old.constant == "NSURLErrorServerCertificateUntrusted")
            #expect(old.message == message)
            #expect(old.streamErrorDomain == 3 && old.streamErrorCode == status)
            #expect(old.streamErrorConstant == constant)
            #expect(old.detailCode == nil)
            #expect(
                old.log == [
                    "Connection 4: default TLS Trust evaluation failed(\(status))",
                    "Connection 4: TLS Trust encountered error 3:\(status)",
                    "Connection 4: encountered error(3:\(status))",
                    "\(Self.task) HTTP load failed, 0/0 bytes (error code: -1202 [3:\(status)])",
                    Self.finished(-1202, status, message, hasChain: true),
                ])
            let new = Self.error(.trust(rule, isStrict: false), .iOS26, facts: RuleCases.facts)
            #expect(new.code == -1202 && new.streamErrorCode == status)
            #expect(new.log.isEmpty && new.confidence == .inferred)
        }
    }

    @Test("a pin mismatch is always strict; the app cannot override it")
    func pinsAreStrict() {
        #expect(Self.error(.trust(.pinnedIdentity, isStrict: false), .iOS26).streamErrorCode == -9802)
    }

    @Test(
        "a failed handshake ends with five log lines and the number of its alert",
        arguments: [
            (HandshakeFailure.alertReceived(70), -9836, "errSSLPeerProtocolVersion"),
            (.versionNotOffered, -9836, "errSSLPeerProtocolVersion"),
            (.alertReceived(40), -9858, "errSSLHandshakeFail"),
            (.alertReceived(48), -9831, "errSSLPeerUnknownCA"),
            (.alertReceived(86), -9860, "errSSLInappropriateFallback"),
            (.alertReceived(112), -9865, "errSSLUnrecognizedName"), (.alertReceived(200), -9802, "errSSLFatalAlert"),
            (.closed(reset: false), -9816, "errSSLClosedNoNotify"),
            (.closed(reset: true), -9816, "errSSLClosedNoNotify"),
            (.notTLS([0x48]), -9847, "errSSLRecordOverflow"), (.suiteNotOffered, -9801, "errSSLNegotiation"),
            (.library(1), -9800, "errSSLProtocol"),
        ])
    func handshakes(failure: HandshakeFailure, status: Int, constant: String) {
        for (profile, message) in [(OSProfile.macOS15_4, Self.oldMessage), (.iOS26, Self.newMessage)] {
            let error = Self.error(.handshake(failure, rule: nil), profile, facts: RuleCases.facts)
            #expect(error.code == -1200 && error.message == message && error.detailCode == nil)
            #expect(error.streamErrorDomain == 3 && error.streamErrorCode == status)
            #expect(error.streamErrorConstant == constant)
            #expect(
                error.log.suffix(5) == [
                    "Connection 4: received failure notification",
                    "Connection 4: failed to connect 3:\(status), reason -1",
                    "Connection 4: encountered error(3:\(status))",
                    "\(Self.task) HTTP load failed, 0/0 bytes (error code: -1200 [3:\(status)])",
                    Self.finished(-1200, status, message, hasChain: false),
                ])
        }
    }

    @Test("from 14 on the log has the connection's path if no certificate was seen", arguments: [13, 14, 26])
    func networkPath(major: Int) throws {
        let profile = try #require(OSProfile.named("ios\(major)"))
        let broken = Self.error(.handshake(.closed(reset: false), rule: nil), profile)
        #expect(broken.log.last?.contains("_NSURLErrorNWPathKey=satisfied") == (major >= 14))
        let refused = Self.error(.trust(.expired, isStrict: true), profile, facts: RuleCases.facts)
        #expect(refused.log.last?.contains("_NSURLErrorNWPathKey") == false)
    }

    @Test("failures of the network are not TLS errors", arguments: ["ios18.4", "ios26"])
    func network(profile: String) throws {
        let profile = try #require(OSProfile.named(profile))
        let name = Self.error(.network(.name(code: -2)), profile)
        #expect(name.code == -1003 && name.streamErrorDomain == 12 && name.streamErrorCode == 8)
        #expect(
            name.log == [
                "Connection 4: received failure notification", "Connection 4: failed to connect 12:8, reason -1",
                "Connection 4: encountered error(12:8)",
            ])
        let refused = Self.error(.network(.refused), profile)
        #expect(refused.code == -1004 && refused.streamErrorDomain == 1 && refused.streamErrorCode == 61)
        #expect(refused.log.last == "Connection 4: encountered error(1:61)")
        let reset = Self.error(.network(.reset(errno: 104)), profile)
        #expect(reset.code == -1005 && reset.log.isEmpty && reset.message == "The network connection was lost.")
        for timeout in [LoadFailure.network(.timeout), .handshake(.timeout, rule: nil)] {
            let error = Self.error(timeout, profile)
            #expect(error.code == -1001 && error.log.isEmpty && error.message == "The request timed out.")
            #expect(error.streamErrorDomain == 4 && error.streamErrorCode == -2102)
        }
    }
}
