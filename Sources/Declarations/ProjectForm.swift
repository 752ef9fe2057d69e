import ATSPolicy

/// A kind of file that contains the keys of an Info.plist below other keys: the table of places.
struct ProjectForm {
    /// The file, for sentences.
    let file: String
    /// Key paths that identify the kind: each file has at least one. Slashes separate keys.
    let marks: [String]
    /// Key paths of the Info.plist's keys; `*` is any key.
    let places: [String]
    /// Key path of the bundle identifier.
    var identifier: String?
    var platform: OSRelease.Platform?
    /// The Info.plist of the project itself, relative to the file; the tool merges it over the keys above.
    var siblings: [String] = []
    /// Key path of a host that the tool allows http to, with its subdomains.
    var exceptionHost: String?

    /// Every known kind, in the order in which they are tried.
    static let all = [expo, bareExpo, tauri, oldTauri, capacitor, cordova, cordovaPlugin, tuist, xcodeGen]

    /// Source: Expo documentation, "app.json / app.config.js", ios.infoPlist.
    private static let expo = ProjectForm(
        file: "Expo configuration", marks: ["expo"], places: ["expo/ios/infoPlist"],
        identifier: "expo/ios/bundleIdentifier", platform: .ios)

    /// The output of `npx expo config --json`, which has no outer key. Source: Expo documentation, "Expo CLI".
    private static let bareExpo = ProjectForm(
        file: "Expo configuration", marks: ["ios/infoPlist", "sdkVersion"], places: ["ios/infoPlist"],
        identifier: "ios/bundleIdentifier", platform: .ios)

    /// Tauri documents `infoPlist` as a path; public files also contain the keys themselves. Source: Tauri 2
    /// configuration, MacConfig and IosConfig; tauri-apps/tauri, tauri-bundler, bundle/macos/app.rs.
    private static let tauri = ProjectForm(
        file: "Tauri configuration",
        marks: ["bundle/macOS", "bundle/iOS", "bundle/active", "app/windows", "build/frontendDist"],
        places: ["bundle/macOS/infoPlist", "bundle/iOS/infoPlist"], identifier: "identifier",
        siblings: ["Info.plist", "Info.ios.plist"], exceptionHost: "bundle/macOS/exceptionDomain")

    private static let oldTauri = ProjectForm(
        file: "Tauri configuration", marks: ["tauri/bundle"], places: ["tauri/bundle/macOS/infoPlist"],
        identifier: "tauri/bundle/identifier", platform: .macos, siblings: ["Info.plist"],
        exceptionHost: "tauri/bundle/macOS/exceptionDomain")

    /// Capacitor does not change the Info.plist of its Xcode project. Source: Capacitor documentation, "Configuring
    /// iOS".
    private static let capacitor = ProjectForm(
        file: "Capacitor configuration", marks: ["webDir"], places: [], identifier: "appId", platform: .ios,
        siblings: ["ios/App/App/Info.plist"])

    /// Read by ``CordovaProject``.
    private static let cordova = ProjectForm(
        file: "Cordova configuration", marks: ["widget"], places: ["widget/Info.plist"], platform: .ios)

    private static let cordovaPlugin = ProjectForm(
        file: "Cordova plug-in", marks: ["plugin"], places: ["plugin/Info.plist"], platform: .ios)

    /// Read by ``SwiftManifest``.
    private static let tuist = ProjectForm(
        file: "Tuist manifest", marks: [SwiftManifest.rootKey], places: ["\(SwiftManifest.rootKey)/*/infoPlist"])

    /// Source: yonaskolb/XcodeGen, "Project Spec", sections "Plist" and "Target".
    private static let xcodeGen = ProjectForm(
        file: "XcodeGen project", marks: ["targets"],
        places: ["targets/*/info/properties"])
}

extension ProjectForm {
    /// The kind of a file by its keys; nil for an Info.plist and for a bare dictionary.
    static func of(_ top: [PropertyMember]) -> ProjectForm? {
        guard top.last(ATSKey.root) == nil, !top.contains(where: { $0.key.hasPrefix("CFBundle") }) else { return nil }
        return all.first { form in form.marks.contains { top.node(at: $0) != nil } }
    }
}

extension [PropertyMember] {
    /// The value at a path of keys with slashes between them.
    func node(at path: String) -> PropertyNode? { nodes(at: path).first?.node }

    /// The values at a path in which `*` is any key, with the keys that were passed.
    func nodes(at path: String) -> [(keys: [String], node: PropertyNode)] {
        var found: [(keys: [String], node: PropertyNode)] = [([], PropertyNode(.dictionary(self)))]
        for step in path.split(separator: "/") {
            found = found.flatMap { keys, node -> [(keys: [String], node: PropertyNode)] in
                guard case .dictionary(let members) = node.value else { return [] }
                let next = step == "*" ? members : [members.last(String(step))].compactMap(\.self)
                return next.map { (keys + [$0.key], $0.node) }
            }
        }
        return found
    }

    /// The text at a path.
    func text(at path: String?) -> String? {
        if case .string(let text)? = path.flatMap(node(at:))?.value { return text }
        return nil
    }
}
