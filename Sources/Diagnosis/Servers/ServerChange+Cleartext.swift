extension ServerChange {
    /// The same content over TLS. A redirect from http does not help: the device blocks the load before it sees one.
    static let cleartext = [
        ServerChange(
            "nginx", ["listen 443 ssl;", "ssl_certificate fullchain.pem;", "ssl_certificate_key key.pem;"],
            source: "nginx, Configuring HTTPS servers"),
        ServerChange(
            "Apache",
            [
                "<VirtualHost *:443>", "    SSLEngine on", "    SSLCertificateFile fullchain.pem",
                "    SSLCertificateKeyFile key.pem", "</VirtualHost>",
            ],
            "with mod_ssl and Listen 443", source: "Apache httpd, SSL/TLS Strong Encryption: How-To"),
        ServerChange(
            "HAProxy", ["bind :443 ssl crt site.pem"], source: "HAProxy Configuration Manual, bind, ssl"),
        ServerChange(
            "AWS ALB", ["add a listener for HTTPS on port 443, with an ACM certificate"],
            source: "AWS, Create an HTTPS listener for your Application Load Balancer"),
        ServerChange(
            "CloudFront", ["viewer protocol policy of the behaviour: https-only or redirect-to-https"],
            source: "AWS, Require HTTPS for communication between viewers and CloudFront"),
        ServerChange(
            "Caddy", ["write only the name of the site: Caddy obtains a certificate and serves https"], "Caddy 2",
            source: "Caddy, Automatic HTTPS"),
        ServerChange(
            "IIS",
            [
                "New-IISSiteBinding -Name SITE -BindingInformation \"*:443:\" -Protocol https "
                    + "-CertificateThumbPrint THUMBPRINT -CertStoreLocation Cert:\\LocalMachine\\My"
            ],
            "PowerShell module IISAdministration", source: "Microsoft, New-IISSiteBinding"),
    ]
}
