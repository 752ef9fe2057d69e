/// The `app.json` of an Expo project. Its `ios.infoPlist` is merged into the app's Info.plist. Source: Expo
/// documentation, "app.json / app.config.js", ios.infoPlist.
struct ExpoConfiguration {
    /// Empty if the configuration sets none.
    let infoPlist: [PropertyMember]
    let bundleID: String?

    /// nil for any other file.
    init?(_ top: [PropertyMember]) {
        guard case .dictionary(let configuration)? = top.last("expo")?.node.value else { return nil }
        guard case .dictionary(let ios)? = configuration.last("ios")?.node.value else {
            infoPlist = []
            bundleID = nil
            return
        }
        bundleID = ios.text("bundleIdentifier")
        if case .dictionary(let members)? = ios.last("infoPlist")?.node.value {
            infoPlist = members
        } else {
            infoPlist = []
        }
    }

    static let missingKeyNote =
        "The Expo configuration does not set ios.infoPlist.NSAppTransportSecurity; its template or a plug-in may still "
        + "set it."
}
