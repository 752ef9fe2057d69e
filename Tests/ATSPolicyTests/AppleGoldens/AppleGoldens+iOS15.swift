import ATSPolicy

extension AppleGoldens {
    static let ios15 = AppleGoldens(
        generation: .ios13to15, profile: "ios15",
        text: """
            cleartext: -1022 NSURLErrorAppTransportSecurityRequiresSecureConnection observed
              App Transport Security has blocked a cleartext HTTP (http://) resource load since it is insecure. \
            Temporary exceptions can be configured via your app's Info.plist file.
              Cannot start load of Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> since it does not conform to ATS \
            policy
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error [-1022] Error \
            Domain=NSURLErrorDomain Code=-1022 "The resource could not be loaded because the App Transport Security \
            policy requires the use of a secure connection." UserInfo={...}
            untrusted root: -1200 NSURLErrorSecureConnectionFailed [3:-9802 errSSLFatalAlert] detail -9886 observed
              ATS failed system trust
              Connection 4: system TLS Trust evaluation failed(-9802)
              Connection 4: TLS Trust encountered error 3:-9802
              Connection 4: encountered error(3:-9802)
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed, 0/0 bytes (error code: -1200 \
            [3:-9802])
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error [-1200] Error \
            Domain=NSURLErrorDomain Code=-1200 "An SSL error has occurred and a secure connection to the server \
            cannot be made." UserInfo={...}
            TLS too old: -1200 NSURLErrorSecureConnectionFailed [3:-9836 errSSLPeerProtocolVersion] detail -9881 \
            observed
              [BoringSSL] boringssl_context_handle_fatal_alert(1872) [C4.1:2][0x...] read alert, level: fatal, \
            description: protocol version
              [BoringSSL] nw_protocol_boringssl_handshake_negotiate_proceed(726) [C4.1:2][0x...] handshake failed \
            at state 12288
              Connection 4: received failure notification
              Connection 4: failed to connect 3:-9836, reason -1
              Connection 4: encountered error(3:-9836)
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed, 0/0 bytes (error code: -1200 \
            [3:-9836])
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error [-1200] Error \
            Domain=NSURLErrorDomain Code=-1200 "An SSL error has occurred and a secure connection to the server \
            cannot be made." UserInfo={...}
            no forward secrecy: -1200 NSURLErrorSecureConnectionFailed [3:-9858 errSSLHandshakeFail] detail -9882 \
            observed
              [BoringSSL] boringssl_context_handle_fatal_alert(1872) [C4.1:2][0x...] read alert, level: fatal, \
            description: handshake failure
              [BoringSSL] boringssl_session_handshake_error_print(111) [C4.1:2][0x...] ...:error:10000410:SSL \
            routines:OPENSSL_internal:SSLV3_ALERT_HANDSHAKE_FAILURE:...:SSL alert number 40
              [BoringSSL] boringssl_session_handshake_error_print(111) [C4.1:2][0x...] ...:error:1000009a:SSL \
            routines:OPENSSL_internal:HANDSHAKE_FAILURE_ON_CLIENT_HELLO:...
              [BoringSSL] nw_protocol_boringssl_handshake_negotiate_proceed(726) [C4.1:2][0x...] handshake failed \
            at state 12288
              Connection 4: received failure notification
              Connection 4: failed to connect 3:-9858, reason -1
              Connection 4: encountered error(3:-9858)
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed, 0/0 bytes (error code: -1200 \
            [3:-9858])
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error [-1200] Error \
            Domain=NSURLErrorDomain Code=-1200 "An SSL error has occurred and a secure connection to the server \
            cannot be made." UserInfo={...}
            closed in the handshake: -1200 NSURLErrorSecureConnectionFailed [3:-9816 errSSLClosedNoNotify] observed
              Connection 4: received failure notification
              Connection 4: failed to connect 3:-9816, reason -1
              Connection 4: encountered error(3:-9816)
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed, 0/0 bytes (error code: -1200 \
            [3:-9816])
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error [-1200] Error \
            Domain=NSURLErrorDomain Code=-1200 "An SSL error has occurred and a secure connection to the server \
            cannot be made." UserInfo={...}
            pin mismatch: -1200 NSURLErrorSecureConnectionFailed [3:-9802 errSSLFatalAlert] detail -9886 observed
              ATS failed system trust
              Connection 4: system TLS Trust evaluation failed(-9802)
              Connection 4: TLS Trust encountered error 3:-9802
              Connection 4: encountered error(3:-9802)
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed, 0/0 bytes (error code: -1200 \
            [3:-9802])
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error [-1200] Error \
            Domain=NSURLErrorDomain Code=-1200 "An SSL error has occurred and a secure connection to the server \
            cannot be made." UserInfo={...}
            self-signed, ATS not strict: -1202 NSURLErrorServerCertificateUntrusted [3:-9813 errSSLNoRootCert] \
            observed
              Connection 4: default TLS Trust evaluation failed(-9813)
              Connection 4: TLS Trust encountered error 3:-9813
              Connection 4: encountered error(3:-9813)
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed, 0/0 bytes (error code: -1202 \
            [3:-9813])
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error [-1202] Error \
            Domain=NSURLErrorDomain Code=-1202 "The certificate for this server is invalid. You might be connecting \
            to a server that is pretending to be “api.example.com” which could put your confidential information at \
            risk." UserInfo={...}
            refused: -1004 NSURLErrorCannotConnectToHost [1:61 ECONNREFUSED] observed
              Connection 4: received failure notification
              Connection 4: failed to connect 1:61, reason -1
              Connection 4: encountered error(1:61)
            """)
}
