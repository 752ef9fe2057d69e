extension ServerChange {
    /// A new certificate with other content, which a CA of one's own can issue, too. Sources: OpenSSL, openssl-req(1) and
    /// openssl-x509(1); Apple support 103769.
    static let reissue = certificate.map { change in
        ServerChange(
            change.server,
            change.lines + [
                "# with a CA of your own, OpenSSL 3.0 or newer, and at most 825 days:",
                "openssl req -new -key key.pem -subj /CN=HOST -addext subjectAltName=DNS:HOST "
                    + "-addext extendedKeyUsage=serverAuth | openssl x509 -req -CA ca.pem -CAkey ca-key.pem -days 825 "
                    + "-copy_extensions copy -out cert.pem",
            ], change.condition, source: change.source)
    }

    /// A new certificate of a CA that devices trust, with its intermediates.
    static let certificate = [
        ServerChange(
            "nginx", ["ssl_certificate fullchain.pem;", "ssl_certificate_key key.pem;"],
            "with the server's own certificate first in the file; then nginx -s reload",
            source: "nginx, Configuring HTTPS servers"),
        ServerChange(
            "Apache", ["SSLCertificateFile fullchain.pem", "SSLCertificateKeyFile key.pem"],
            "httpd 2.4.8 or newer; then apachectl graceful", source: "Apache httpd, mod_ssl, SSLCertificateFile"),
        ServerChange(
            "HAProxy", ["bind :443 ssl crt site.pem"],
            "with leaf, intermediates and key in one file, in that order; then reload",
            source: "HAProxy Configuration Manual, crt"),
        ServerChange(
            "AWS ALB", ["request a certificate for the host in ACM, and select it in the listener for HTTPS"],
            "in the region of the balancer", source: "AWS Certificate Manager, Supported Regions"),
        ServerChange(
            "CloudFront", ["request a certificate for the host in ACM, and select it in the distribution"],
            "in the region us-east-1", source: "AWS Certificate Manager, Supported Regions"),
        ServerChange(
            "Caddy",
            ["write the public name of the site, without `tls internal`: Caddy obtains and renews a certificate"],
            "Caddy 2; for addresses and local names, Caddy uses a private CA", source: "Caddy, Automatic HTTPS"),
        ServerChange(
            "IIS",
            [
                "Import-PfxCertificate -FilePath site.pfx -CertStoreLocation Cert:\\LocalMachine\\My",
                "then select it in the https binding of the site",
            ], "PowerShell module PKI; -Password for a protected file", source: "Microsoft, Import-PfxCertificate"),
    ]
}
