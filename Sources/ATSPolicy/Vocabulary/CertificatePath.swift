/// One path from a leaf to an anchor, leaf first.
public struct CertificatePath: Sendable, Hashable {
    public var certificates: [CertificateFacts]
    public var anchor: TrustAnchor
    public var faults: [PathFault]

    public init(_ certificates: [CertificateFacts], anchor: TrustAnchor, faults: [PathFault] = []) {
        self.certificates = certificates
        self.anchor = anchor
        self.faults = faults
    }
}

/// A violation of X.509 in a path. It depends on neither time nor release; the rule knows the releases that check it.
public struct PathFault: Sendable, Hashable {
    /// Raw values are stored.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A name outside the permitted names, or inside the excluded names, of a CA below the anchor.
        case nameConstraints = "name-constraints"
        /// The same for the constraints of the anchor.
        case rootNameConstraints = "root-name-constraints"
        /// More CAs than a CA below the anchor allows.
        case pathLength = "path-length"
        /// More CAs than the anchor allows.
        case rootPathLength = "root-path-length"
        /// An issuer of version 3 without basic constraints.
        case noBasicConstraints = "no-basic-constraints"
        /// An issuer whose basic constraints do not make it a CA.
        case notCA = "not-ca"
        /// An issuer whose key usage lacks keyCertSign.
        case keyUsage = "key-usage"
        /// An intermediate of version 1 or 2 under an anchor of version 3.
        case oldVersion = "old-version"
        /// A critical extension of an unknown kind.
        case criticalExtension = "critical-extension"
        /// An extension that cannot be read, or that occurs twice.
        case malformedExtension = "malformed-extension"
        /// An empty subject, of a CA or of a leaf without a critical alternative name.
        case emptySubject = "empty-subject"
    }

    public var kind: Kind
    /// Index in the path; 0 is the leaf.
    public var place: Int

    public init(_ kind: Kind, at place: Int) {
        self.kind = kind
        self.place = place
    }
}
