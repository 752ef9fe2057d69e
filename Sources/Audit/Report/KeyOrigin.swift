import ATSPolicy
import Text

/// A key of a dictionary, with the templates and SDKs whose instructions write it. That one of them wrote it in this app
/// is inferred.
public struct KeyOrigin: Sendable, Hashable {
    /// Path of the program.
    public let executable: String
    /// Without `NSAppTransportSecurity`.
    public let keyPath: String
    public let line: Int?
    /// The candidates, those whose code is in the app first; empty if no entry of the table writes the key.
    public let writers: [Writer]

    /// A template or SDK that writes keys.
    public struct Writer: Sendable, Hashable {
        public let name: String
        /// Its public instructions.
        public let source: String
        /// True if the app contains a file that only this SDK has.
        public let isInApp: Bool
    }
}

/// One entry of the table: keys that the public instructions of a template or SDK write.
public struct KeyTemplate: Sendable, Hashable {
    public let name: String
    public let source: String
    /// Key paths below `NSAppTransportSecurity`, with their values: true, false, or nil for any.
    let keys: [String: Bool?]
    /// Parts of paths of files that the SDK adds to an app; empty if it adds no file.
    let files: [String]

    private static let entry = ATSKey.exceptionDomains + "."

    /// The table. Each source was read in November 2026.
    public static let all: [KeyTemplate] = [
        KeyTemplate(
            name: "React Native template, 0.72 and later",
            source: "GitHub, react-native-community/template, template/ios/HelloWorld/Info.plist",
            keys: [ATSKey.arbitraryLoads: false, ATSKey.localNetworking: true], files: react),
        KeyTemplate(
            name: "React Native template, before 0.72",
            source: "GitHub, facebook/react-native, template/ios/HelloWorld/Info.plist",
            keys: [entry + "localhost": nil, entry + "localhost." + ATSKey.insecureHTTP: true], files: react),
        KeyTemplate(
            name: "Expo template",
            source: "GitHub, expo/expo, templates/expo-template-bare-minimum/ios/HelloWorld/Info.plist",
            keys: [ATSKey.arbitraryLoads: false, ATSKey.localNetworking: true],
            files: ["Expo.plist", "EXConstants", "ExpoModulesCore"]),
        KeyTemplate(
            name: "Google Mobile Ads (AdMob, Ad Manager)",
            source: "Google, Mobile Ads SDK for iOS, App Transport Security: "
                + "https://developers.google.com/admob/ios/app-transport-security",
            keys: [ATSKey.forMedia: true, ATSKey.inWebContent: true, ATSKey.arbitraryLoads: true],
            files: ["GoogleMobileAds", "GoogleMobileAdsResources"]),
        KeyTemplate(
            name: "ironSource (Unity LevelPlay)",
            source: "ironSource, iOS SDK Integration checklist: "
                + "https://developers.is.com/ironsource-mobile/ios/ios-sdk-integration-review/",
            keys: [ATSKey.arbitraryLoads: true], files: ["IronSource", "ISAdapters"]),
        KeyTemplate(
            name: "Unity, setting Allow downloads over HTTP",
            source: "Unity, PlayerSettings.iOS.allowHTTPDownload: "
                + "https://docs.unity3d.com/2018.1/Documentation/ScriptReference/PlayerSettings.iOS-allowHTTPDownload.html",
            keys: [ATSKey.arbitraryLoads: true], files: ["UnityFramework", "Data/Managed/Metadata/global-metadata.dat"]),
        KeyTemplate(
            name: "Firebase Emulator Suite (FlutterFire)",
            source: "GitHub, firebase/flutterfire, iOS Installation (manual)",
            keys: [ATSKey.localNetworking: true], files: ["GoogleService-Info.plist", "FirebaseCore"]),
        KeyTemplate(
            name: "Cordova, <access origin=\"*\" /> in config.xml",
            source: "Apache, Cordova, Whitelist Guide: https://cordova.apache.org/docs/en/9.x/guide/appdev/whitelist/",
            keys: [
                ATSKey.arbitraryLoads: true, ATSKey.forMedia: true, ATSKey.inWebContent: true,
                ATSKey.localNetworking: true,
            ], files: ["www/cordova.js", "config.xml"]),
        KeyTemplate(
            name: ".NET MAUI and Xamarin.iOS instructions",
            source: "Microsoft Learn, Use platform-specific network features: "
                + "https://learn.microsoft.com/training/modules/consume-rest-services-maui/4-use-platform-specific-features",
            keys: [ATSKey.localNetworking: true, ATSKey.arbitraryLoads: true],
            files: ["Xamarin", "Microsoft.Maui", "System.Private.CoreLib"]),
        KeyTemplate(
            name: "Umeng, Weibo and WeChat sharing SDKs, instructions for iOS 9",
            source:
                "Umeng, social SDK for iOS 9, as quoted in public articles (hk.javashuo.com/article/p-riphorzn-ec.html)",
            keys: Dictionary(
                [
                    "log.umsns.com", "sns.whalecloud.com", "sina.cn", "weibo.cn", "weibo.com", "sinaimg.cn",
                    "sinajs.cn", "api.weixin.qq.com",
                ]
                .map { (entry + $0, nil) }, uniquingKeysWith: { $1 }),
            files: ["UMSocial", "WeiboSDK", "libWeChatSDK"]),
    ]

    private static let react = ["main.jsbundle", "React.framework", "hermes.framework"]

    /// The origins of every key of a program.
    static func origins(of executable: AuditedExecutable, files: [String]) -> [KeyOrigin] {
        keys(of: executable.declaration).map { key in
            let writers = all.filter { template in
                guard let value = template.keys[key.path] else { return false }
                return value == nil || value == key.value
            }
            let found = writers.map { template in
                KeyOrigin.Writer(
                    name: template.name, source: template.source,
                    isInApp: template.files.contains { part in files.contains { $0.contains(part) } })
            }
            return KeyOrigin(
                executable: executable.path, keyPath: key.path, line: key.line,
                writers: found.filter(\.isInApp) + found.filter { !$0.isInApp })
        }
    }

    /// The global keys, the entries and their keys.
    private static func keys(of declaration: Declaration) -> [(path: String, value: Bool?, line: Int?)] {
        declaration.members.flatMap { member -> [(path: String, value: Bool?, line: Int?)] in
            guard member.key == ATSKey.exceptionDomains, case .dictionary(let entries) = member.node.value else {
                return [(member.key, member.flag, member.keyLine)]
            }
            return entries.flatMap { entry -> [(path: String, value: Bool?, line: Int?)] in
                let path = Self.entry + entry.key
                guard case .dictionary(let keys) = entry.node.value else { return [(path, nil, entry.keyLine)] }
                return [(path, nil, entry.keyLine)] + keys.map { (path + "." + $0.key, $0.flag, $0.keyLine) }
            }
        }
    }
}

extension PropertyMember {
    fileprivate var flag: Bool? {
        if case .boolean(let flag) = node.value { return flag }
        return nil
    }
}

extension AuditReport {
    /// The report with ``keyOrigins``.
    public var withKeyOrigins: AuditReport {
        var report = self
        report.keyOrigins = executables.flatMap { KeyTemplate.origins(of: $0, files: paths) }
        return report
    }
}
