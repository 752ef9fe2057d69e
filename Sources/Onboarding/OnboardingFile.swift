/// A file that a device fetches. Raw values are their paths without the slash.
enum OnboardingFile: String, CaseIterable {
    case profile = "atsgate-ca.mobileconfig"
    case der = "atsgate-ca.cer"
    case pem = "atsgate-ca.pem"
    case automatic = "proxy.pac"

    /// Sources: for certificates, Apple, Configuration Profile Reference, and RFC 2585 section 4's predecessors as
    /// browsers know them; for the PAC file, Netscape, "Proxy Auto-Config File Format".
    var mediaType: String {
        switch self {
        case .profile: ConfigurationProfile.mediaType
        case .der: "application/x-x509-ca-cert"
        case .pem: "application/x-pem-file"
        case .automatic: "application/x-ns-proxy-autoconfig"
        }
    }

    var title: String {
        switch self {
        case .profile: "Profile for Apple devices"
        case .der: "Certificate, DER"
        case .pem: "Certificate, PEM"
        case .automatic: "Automatic proxy configuration"
        }
    }

    /// True if a device that fetches it may be about to install the CA.
    var isCertificate: Bool { self != .automatic }
}
