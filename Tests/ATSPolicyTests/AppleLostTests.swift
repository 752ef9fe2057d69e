import ATSPolicy
import Testing

@Suite struct AppleLostTests {
    private static func error(
        _ end: LostConnection.End, _ certificate: ClientCertificateUse? = nil, answerBegan: Bool = false,
        on profile: OSProfile = .iOS26
    ) -> AppleError {
        AppleErrorTests.error(
            .lost(LostConnection(end, clientCertificate: certificate, answerBegan: answerBegan)), profile)
    }

    @Test(
        "-1206 if the origin requested a certificate, got none and ended the load",
        arguments: [
            LostConnection.End.alert(116), .alert(40), .alert(42), .reset, .closed,
        ])
    func certificateRequired(end: LostConnection.End) {
        let error = Self.error(end, .asked)
        #expect(error.code == -1206 && error.constant == "NSURLErrorClientCertificateRequired")
        #expect(error.message == "The server “api.example.com” requires a client certificate.")
        #expect(error.streamErrorCode == nil)
    }

    @Test(
        "-1205 with the number of the alert if the origin rejected the client's certificate",
        arguments: [(42, -9825), (46, -9829), (48, -9831), (51, -9834), (116, -9863)] as [(UInt8, Int)])
    func certificateRejected(alert: UInt8, number: Int) {
        let error = Self.error(.alert(alert), .sent)
        #expect(error.code == -1205 && error.streamErrorDomain == 3 && error.streamErrorCode == number)
        #expect(error.message == "The server “api.example.com” did not accept the certificate.")
        #expect(error.confidence == .inferred)
    }

    @Test func alert51OnIOS11IsAsReported() throws {
        let error = Self.error(.alert(51), .sent, on: try #require(OSProfile.named("ios11")))
        #expect(error.confidence == .observed)
        #expect(
            error.log == [
                "TIC TCP Conn Failed [4:0x...]: 3:-9834 Err(-9834)",
                "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9834)",
                "Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed (error code: -1205 [3:-9834])",
                "Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error - code: -1205",
            ])
    }

    @Test(
        "an alert that is not about a certificate keeps its own number",
        arguments: [
            (LostConnection.End.alert(80), ClientCertificateUse?.none, -9838), (.alert(80), .sent, -9838),
            (.alert(20), .asked, -9820), (.alert(116), nil, -9863), (.alert(40), nil, -9858),
        ])
    func otherAlerts(end: LostConnection.End, certificate: ClientCertificateUse?, number: Int) {
        let error = Self.error(end, certificate)
        #expect(error.code == -1200 && error.streamErrorDomain == 3 && error.streamErrorCode == number)
        #expect(error.log.isEmpty && error.confidence == .inferred)
    }

    @Test func aConnectionThatEndsIsLost() {
        let closed = Self.error(.closed)
        #expect(closed.code == -1005 && closed.streamErrorDomain == 4 && closed.streamErrorCode == -4)
        let reset = Self.error(.reset)
        #expect(reset.code == -1005 && reset.streamErrorDomain == 1 && reset.streamErrorCode == 54)
        #expect(Self.error(.reset, .sent).code == -1005)
        #expect(Self.error(.timeout).code == -1001)
        #expect(Self.error(.timeout, .asked).code == -1001)
    }

    @Test("after an answer began, a loss is not due to a certificate", arguments: [ClientCertificateUse.asked, .sent])
    func answerBegan(certificate: ClientCertificateUse) {
        #expect(Self.error(.closed, certificate, answerBegan: true).code == -1005)
        #expect(Self.error(.alert(116), certificate, answerBegan: true).code == -1200)
    }

    @Test func anAnswerThatIsNotHTTPCannotBeParsed() {
        let error = AppleErrorTests.error(.malformedAnswer, .iOS26)
        #expect(error.code == -1017 && error.streamErrorDomain == 4 && error.streamErrorCode == -1)
        #expect(error.message == "cannot parse response")
    }

    @Test("a lost load has failed; it is not blocked")
    func lostIsNoRefusal() {
        let lost = LoadFailure.lost(LostConnection(.reset, answerBegan: false))
        #expect(!lost.isBlockedByRules && lost.category == .network)
        #expect(!LoadFailure.malformedAnswer.isBlockedByRules)
        #expect(RefusalAlert.alert(for: lost) == RefusalAlert.close)
    }
}
