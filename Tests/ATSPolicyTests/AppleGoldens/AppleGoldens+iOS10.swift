import ATSPolicy

extension AppleGoldens {
    static let ios10 = AppleGoldens(
        generation: .ios10, profile: "ios10",
        text: """
            cleartext: -1022 NSURLErrorAppTransportSecurityRequiresSecureConnection observed
              App Transport Security has blocked a cleartext HTTP (http://) resource load since it is insecure. \
            Temporary exceptions can be configured via your app's Info.plist file.
            untrusted root: -1200 NSURLErrorSecureConnectionFailed [3:-9802 errSSLFatalAlert] detail -9886 observed
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9802)
            TLS too old: -1200 NSURLErrorSecureConnectionFailed [3:-9836 errSSLPeerProtocolVersion] detail -9881 \
            source
              [] nw_coretls_read_one_record tls_handshake_process: [-9836]
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9836)
              (CFNetwork) HTTP load failed (error code: -1200 [3:-9836])
            no forward secrecy: -1200 NSURLErrorSecureConnectionFailed [3:-9824 errSSLPeerHandshakeFail] detail \
            -9882 observed
              [] nw_coretls_read_one_record tls_handshake_process: [-9824]
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9824)
              (CFNetwork) HTTP load failed (error code: -1200 [3:-9824])
            closed in the handshake: -1200 NSURLErrorSecureConnectionFailed [3:-9816 errSSLClosedNoNotify] observed
              [] nw_coretls_read_one_record tls_handshake_process: [-9816]
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9816)
              (CFNetwork) HTTP load failed (error code: -1200 [3:-9816])
            self-signed, ATS not strict: -1202 NSURLErrorServerCertificateUntrusted [3:-9813 \
            errSSLNoRootCert] observed
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9813)
            refused: -1004 NSURLErrorCannotConnectToHost [1:61 ECONNREFUSED] observed
            """)
}
