import ATSPolicy

extension AppleGoldens {
    /// Like 17, with another sentence on TLS, and no lines that show the failure of a self-signed certificate.
    static let ios26 = AppleGoldens(
        generation: .ios26, profile: "ios26",
        text: ios17.changed([
            (
                "An SSL error has occurred and a secure connection to the server cannot be made.",
                "A TLS error caused the secure connection to fail."
            ),
            ("detail -9886 observed", "detail -9886 inferred"), ("detail -9882 observed", "detail -9882 inferred"),
            (
                """
                errSSLNoRootCert] observed
                  Connection 4: default TLS Trust evaluation failed(-9813)
                  Connection 4: TLS Trust encountered error 3:-9813
                  Connection 4: encountered error(3:-9813)
                  Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed, 0/0 bytes (error code: -1202 \
                [3:-9813])
                  Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error [-1202] Error \
                Domain=NSURLErrorDomain Code=-1202 "The certificate for this server is invalid. You might be \
                connecting to a server that is pretending to be “api.example.com” which could put your confidential \
                information at risk." UserInfo={...}
                """,
                "errSSLNoRootCert] inferred"
            ),
        ]))
}
