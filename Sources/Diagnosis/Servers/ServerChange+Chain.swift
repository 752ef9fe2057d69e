extension ServerChange {
    /// The leaf first, then each issuer, without the root.
    static let chain = [
        ServerChange(
            "nginx", ["ssl_certificate fullchain.pem;"], "with the server's own certificate first in the file",
            source: "nginx, Configuring HTTPS servers, SSL certificate chains"),
        ServerChange(
            "Apache", ["SSLCertificateFile fullchain.pem"],
            "httpd 2.4.8 or newer; older versions need SSLCertificateChainFile for the intermediates",
            source: "Apache httpd, mod_ssl, SSLCertificateFile"),
        ServerChange(
            "HAProxy", ["bind :443 ssl crt site.pem"], "with leaf, intermediates and key in one file, in that order",
            source: "HAProxy Configuration Manual, crt"),
        ServerChange(
            "AWS ALB", ["import the certificate into ACM again, with its chain (--certificate-chain)"],
            "CloudFront also uses certificates from ACM",
            source: "AWS Certificate Manager, Importing certificates"),
        ServerChange(
            "Caddy", ["tls fullchain.pem key.pem"], "Caddy 2; certificates that Caddy obtains itself are complete",
            source: "Caddy, tls directive"),
        ServerChange(
            "IIS",
            ["import the intermediates into \"Intermediate Certification Authorities\" of the local computer"],
            "IIS sends them from there; then bind the certificate again",
            source: "Microsoft, Configure intermediate certificates on a computer that runs IIS"),
    ]
}
