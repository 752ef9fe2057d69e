extension ServerChange {
    /// The leaf first, then each issuer up to, and without, the root.
    static let chain = [
        ServerChange(
            "nginx", ["ssl_certificate fullchain.pem;"], "the server's own certificate first in the file",
            source: "nginx, Configuring HTTPS servers, SSL certificate chains"),
        ServerChange(
            "Apache", ["SSLCertificateFile fullchain.pem"],
            "from httpd 2.4.8 on; before, SSLCertificateChainFile names the intermediates",
            source: "Apache httpd, mod_ssl, SSLCertificateFile"),
        ServerChange(
            "HAProxy", ["bind :443 ssl crt site.pem"], "with leaf, intermediates and key in one file, in that order",
            source: "HAProxy Configuration Manual, crt"),
        ServerChange(
            "AWS ALB", ["import the certificate into ACM again, with its chain (--certificate-chain)"],
            "CloudFront takes its certificates from there, too",
            source: "AWS Certificate Manager, Importing certificates"),
        ServerChange(
            "Caddy", ["tls fullchain.pem key.pem"], "Caddy 2; what it obtains by itself is complete",
            source: "Caddy, tls directive"),
        ServerChange(
            "IIS",
            ["import the intermediates into \"Intermediate Certification Authorities\" of the local computer"],
            "they are sent from there; then bind the certificate anew",
            source: "Microsoft, Configure intermediate certificates on a computer that runs IIS"),
    ]
}
