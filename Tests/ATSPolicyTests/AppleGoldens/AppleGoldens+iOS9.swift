import ATSPolicy

extension AppleGoldens {
    static let ios9 = AppleGoldens(
        generation: .ios9, profile: "ios9",
        text: """
            cleartext: -1022 NSURLErrorAppTransportSecurityRequiresSecureConnection observed
              App Transport Security has blocked a cleartext HTTP (http://) resource load since it is insecure. \
            Temporary exceptions can be configured via your app's Info.plist file.
            untrusted root: -1200 NSURLErrorSecureConnectionFailed [3:-9802 errSSLFatalAlert] detail -9886 observed
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9802)
            TLS too old: -1200 NSURLErrorSecureConnectionFailed [3:-9836 errSSLPeerProtocolVersion] detail -9881 \
            source
              CFNetwork SSLHandshake failed (-9836)
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9836)
            no forward secrecy: -1200 NSURLErrorSecureConnectionFailed [3:-9824 errSSLPeerHandshakeFail] detail \
            -9882 observed
              CFNetwork SSLHandshake failed (-9824)
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9824)
            closed in the handshake: -1200 NSURLErrorSecureConnectionFailed [3:-9806 errSSLClosedAbort] observed
              CFNetwork SSLHandshake failed (-9806)
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9806)
            self-signed, ATS not strict: -1202 NSURLErrorServerCertificateUntrusted [3:-9813 \
            errSSLNoRootCert] observed
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9813)
            refused: -1004 NSURLErrorCannotConnectToHost [1:61 ECONNREFUSED] observed
            """)
}
