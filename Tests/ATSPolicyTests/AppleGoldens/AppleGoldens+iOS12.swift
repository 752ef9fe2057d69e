import ATSPolicy

extension AppleGoldens {
    static let ios12 = AppleGoldens(
        generation: .ios12, profile: "ios12",
        text: """
            cleartext: -1022 NSURLErrorAppTransportSecurityRequiresSecureConnection observed
              App Transport Security has blocked a cleartext HTTP (http://) resource load since it is insecure. \
            Temporary exceptions can be configured via your app's Info.plist file.
              Cannot start load of Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> since it does not conform to ATS \
            policy
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error - code: -1022
            untrusted root: -1200 NSURLErrorSecureConnectionFailed [3:-9802 errSSLFatalAlert] detail -9886 observed
              ATS failed system trust
              System Trust failed for [4:0x...]
              TIC SSL Trust Error [4:0x...]: 3:0
              TIC TCP Conn Failed [4:0x...]: 3:-9802 Err(-9802)
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9802)
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed (error code: -1200 [3:-9802])
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error - code: -1200
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> load failed with error Error Domain=NSURLErrorDomain \
            Code=-1200 "An SSL error has occurred and a secure connection to the server cannot be made." \
            UserInfo={...}
            TLS too old: -1200 NSURLErrorSecureConnectionFailed [3:-9836 errSSLPeerProtocolVersion] detail -9881 \
            observed
              TIC TCP Conn Failed [4:0x...]: 3:-9836 Err(-9836)
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9836)
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed (error code: -1200 [3:-9836])
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error - code: -1200
            no forward secrecy: -1200 NSURLErrorSecureConnectionFailed [3:-9858 errSSLHandshakeFail] detail -9882 \
            observed
              [BoringSSL] boringssl_session_errorlog(224) [C4.1:2][0x...] [boringssl_session_read] \
            SSL_ERROR_SSL(1): operation failed within the library
              [BoringSSL] boringssl_session_handshake_error_print(205) [C4.1:2][0x...] ...:error:100000d7:SSL \
            routines:OPENSSL_internal:SSL_HANDSHAKE_FAILURE:...
              TIC TCP Conn Failed [4:0x...]: 3:-9858 Err(-9858)
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9858)
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed (error code: -1200 [3:-9858])
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error - code: -1200
            closed in the handshake: -1200 NSURLErrorSecureConnectionFailed [3:-9816 errSSLClosedNoNotify] observed
              [BoringSSL] nw_protocol_boringssl_input_finished(1543) [C4.1:2][0x...] Peer disconnected during the \
            middle of a handshake. Sending errSSLClosedNoNotify(-9816) alert
              TIC TCP Conn Failed [4:0x...]: 3:-9816 Err(-9816)
              NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9816)
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> HTTP load failed (error code: -1200 [3:-9816])
              Task <5D5FFC0C-F9B4-49AB-841B-1D60737C0F7F>.<1> finished with error - code: -1200
            self-signed, ATS not strict: -1202 NSURLErrorServerCertificateUntrusted [3:-9813 \
            errSSLNoRootCert] inferred
            refused: -1004 NSURLErrorCannotConnectToHost [1:61 ECONNREFUSED] observed
              TIC TCP Conn Failed [4:0x...]: 1:61 Err(61)
            """)
}
