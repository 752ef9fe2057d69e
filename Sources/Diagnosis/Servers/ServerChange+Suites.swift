extension ServerChange {
    /// Key exchange by ECDHE with AES in GCM: suites that every release since iOS 9 offers.
    static let suites = [
        ServerChange(
            "nginx", ["ssl_ciphers \(names);"], "OpenSSL names; TLS 1.3 suites are on by default",
            source: "nginx, ngx_http_ssl_module, ssl_ciphers"),
        ServerChange(
            "Apache", ["SSLCipherSuite \(names)"], "OpenSSL names; TLS 1.3 suites are on by default",
            source: "Apache httpd, mod_ssl, SSLCipherSuite"),
        ServerChange(
            "HAProxy", ["global", "    ssl-default-bind-ciphers \(names)"], "for TLS 1.2 and older",
            source: "HAProxy Configuration Manual, ssl-default-bind-ciphers"),
        balancer, distribution,
        ServerChange(
            "Caddy", ["remove `ciphers` from the site's tls directive: Caddy's defaults are fine"], "Caddy 2",
            source: "Caddy, tls directive, ciphers"),
        ServerChange(
            "IIS",
            [
                "Enable-TlsCipherSuite -Name TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 -Position 0",
                "Enable-TlsCipherSuite -Name TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 -Position 1",
            ], "PowerShell on Windows Server 2016 or newer; for an ECDSA certificate their ECDSA counterparts",
            source: "Microsoft, Enable-TlsCipherSuite"),
    ]

    private static let names = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384",
    ].joined(separator: ":")
}
