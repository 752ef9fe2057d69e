/// The `app.json` of an Expo project, whose `ios.infoPlist` goes into the Info.plist of the app. Source: Expo
/// documentation, "app.json / app.config.js", ios.infoPlist.
struct ExpoConfiguration {
    /// Empty where it sets nothing.
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

    static let silence =
        "The Expo configuration sets no ios.infoPlist.NSAppTransportSecurity, so what its template or a plug-in sets is "
        + "not known here."
}
