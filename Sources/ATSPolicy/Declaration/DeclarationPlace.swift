/// The place of an Info.plist's keys in the file of another tool, such as the configuration of a project.
public struct DeclarationPlace: Sendable, Hashable {
    /// The file, for sentences: `Expo configuration`.
    public var file: String
    /// Key path of the Info.plist's keys in the file: `expo.ios.infoPlist`.
    public var keyPath: String
    /// The identifier of the app, which such files keep elsewhere.
    public var bundleID: String?
    /// The platform of the app; nil if the keys or nothing names it.
    public var platform: OSRelease.Platform?

    public init(file: String, keyPath: String, bundleID: String? = nil, platform: OSRelease.Platform? = nil) {
        self.file = file
        self.keyPath = keyPath
        self.bundleID = bundleID
        self.platform = platform
    }

    /// The place of the keys in an Info.plist itself.
    static let infoPlist = DeclarationPlace(file: "Info.plist", keyPath: "")

    /// The sentence for a place without `NSAppTransportSecurity`.
    var absence: String {
        let place = keyPath.isEmpty ? "The \(file)" : "\(keyPath) of the \(file)"
        return "\(place) does not set NSAppTransportSecurity, so the secure defaults of ATS apply."
    }
}
