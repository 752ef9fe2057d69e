import ATSPolicy

extension AppleGoldens {
    /// Like 15, with another sentence on cleartext, and other lines of BoringSSL and of the failed handshake.
    static let ios17 = AppleGoldens(
        generation: .ios16to18, profile: "ios17",
        text: ios15.changed([
            (
                """
                cleartext HTTP (http://) resource load since it is insecure. Temporary exceptions can be configured via \
                your app's Info.plist file.
                """,
                """
                cleartext HTTP connection to api.example.com since it is insecure. Use HTTPS instead or add this domain \
                to Exception Domains in your Info.plist.
                """
            ),
            ("[BoringSSL]", "[boringssl]"),
            ("handle_fatal_alert(1872)", "handle_fatal_alert(1991)"),
            ("description: protocol version", "description: protocol version\n" + incomplete),
            ("description: handshake failure", "description: handshake failure\n" + incomplete),
            (
                "at state 12288",
                """
                at state 12288: not completed
                  nw_endpoint_flow_failed_with_error [C4.1 ...] already failing, returning
                """
            ),
        ]))

    private static let incomplete =
        "  [boringssl] boringssl_session_handshake_incomplete(244) [C4.1:2][0x...] SSL library error"
}
