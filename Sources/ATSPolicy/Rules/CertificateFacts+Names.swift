import Text

extension CertificateFacts {
    /// The common name, or the whole subject if there is none, safe for one line of text.
    var displayName: String { (commonName ?? subject).singleLine }

    var quotedName: String { "“\(displayName)”" }

    /// The common name in the issuer's RFC 2253 text; nil if it has none.
    public var issuerCommonName: String? { DistinguishedName(issuer).commonName?.singleLine }
}

extension String {
    /// Text chosen by an origin, made safe for one log line: no control characters, bounded length.
    var singleLine: String {
        var text = ""
        for scalar in unicodeScalars.prefix(Self.longestForeignText) {
            let isControl = scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
            text.unicodeScalars.append(isControl ? "?" : scalar)
        }
        return text
    }

    /// Unicode scalars; RFC 5280 allows 64 in a common name.
    private static var longestForeignText: Int { 128 }
}
