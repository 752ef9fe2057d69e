extension ServerChange {
    /// TLS 1.2 and 1.3.
    static let versions = [
        ServerChange(
            "nginx", ["ssl_protocols TLSv1.2 TLSv1.3;"],
            "TLSv1.3 needs nginx 1.13.0 and OpenSSL 1.1.1, TLSv1.2 needs nginx 1.1.13",
            source: "nginx, ngx_http_ssl_module, ssl_protocols"),
        ServerChange(
            "Apache", ["SSLProtocol -all +TLSv1.2 +TLSv1.3"],
            "+TLSv1.3 needs httpd 2.4.37 and OpenSSL 1.1.1; omit it for older versions",
            source: "Apache httpd, mod_ssl, SSLProtocol"),
        ServerChange(
            "HAProxy", ["global", "    ssl-default-bind-options ssl-min-ver TLSv1.2"], "HAProxy 1.8 or newer",
            source: "HAProxy Configuration Manual, ssl-min-ver"),
        balancer, distribution,
        ServerChange(
            "Caddy", ["tls {", "    protocols tls1.2 tls1.3", "}"], "the default of Caddy 2",
            source: "Caddy, tls directive, protocols"),
        ServerChange(
            "IIS",
            [
                #"HKLM\SYSTEM\CurrentControlSet\Control\SecurityProviders\SCHANNEL\Protocols\TLS 1.2\Server:"#,
                "    Enabled = 1 and DisabledByDefault = 0 (DWORD), then restart",
            ], "TLS 1.3 needs Windows Server 2022 or newer, and a key for TLS 1.3",
            source: "Microsoft, TLS registry settings"),
    ]

    // Amazon has one policy for versions and suites.
    static let balancer = ServerChange(
        "AWS ALB", ["security policy of the listener: ELBSecurityPolicy-TLS13-1-2-Res-2021-06"],
        source: "AWS, Security policies for your Application Load Balancer")
    static let distribution = ServerChange(
        "CloudFront", ["security policy of the distribution: TLSv1.2_2021"],
        "with your own certificate; with *.cloudfront.net the policy is TLSv1",
        source: "AWS, Supported protocols and ciphers between viewers and CloudFront")
}
