import ATSPolicy
import ProxyCore
import ProxyServer

/// The rules that are applied.
enum LawSection: OptionSection {
    static let title = "Dictionary and release"

    static let options: [GateOption] = [
        GateOption("policy", .path(), maySet: \.settings.policyPath, "The dictionary to enforce.")
            .details(
                """
                An Info.plist (XML or binary), a bare NSAppTransportSecurity dictionary as property list or JSON, a part \
                of one, the output of PlistBuddy, plutil -p or defaults read, a project file of Expo, Tauri, Cordova, \
                Capacitor, XcodeGen or Tuist (atsgate explain lint#places), an .app, .appex, .ipa or .xcarchive, or - \
                for standard input. PATH#NAME is one app of a project file. store:NAME is the newest version that \
                atsgate policy push has put into the shared store of --store, store:NAME@VERSION that version.
                """
            )
            .standard("the secure defaults of an app without a dictionary")
            .example("config/dictionaries/strict.plist").often,
        GateOption("os", .system, sets: \.settings.profile, "The release to emulate.")
            .details(
                """
                \(OSProfile.all.map(\.name).joined(separator: ", ")), or any other release since iOS 9: ios12.2, \
                macos15.5, ipados17, tvos16, watchos9, visionos1. auto takes the release from each client's \
                User-Agent, else from the dictionary, else the newest.
                """
            ).often,
        GateOption(
            "assume", .loader, maySet: \.settings.rules.clients.loader,
            "Treat every load as made by this part of the system."
        )
        .details(
            """
            Some ATS exceptions apply to only one of them: app is the app's own process through URLSession, web is web \
            content, media is AVFoundation.
            """
        )
        .standard("from the User-Agent, else app"),
        GateOption(
            "outside", .choice("what"), maySet: \.outside,
            "How to treat clients that ATS does not govern on a device."
        )
        .details(
            """
            They are recognized by their User-Agent: Safari and other browsers of an iPhone, iPad or Mac, and, \
            except with run, Dart, okhttp and Go, also by their ClientHello. pass: they are not judged, and are recorded as outside; judge: they \
            are judged as the app; hello: every client whose ClientHello is not of Apple's TLS is outside, too, also with \
            run. --assume overrides this.
            """
        )
        .standard("pass; for run --capture judge"),
        GateOption(
            "strict-roots", .flag, sets: \.settings.switches.strictRoots,
            "Block a root that the release's own trust store lacks, also from iOS 18 on."
        )
        .details(
            """
            Each release is judged by its own store up to 26.0. From iOS 18 and macOS 15 on, a newer store can arrive over \
            the air, so a missing root is only a warning there.
            """),
    ]
}

/// Rules on which the sources disagree: one option, and its rows as options, which help does not list.
enum ReadingsSection: OptionSection {
    static let title = "Where sources disagree"

    static let options: [GateOption] =
        [
            GateOption(
                "simulator", .flag, sets: \.settings.switches.isSimulator,
                "Judge as a simulator does, in which NSAllowsArbitraryLoadsForMedia does not allow http media."),
            GateOption(
                "reading", .reading, addsTo: \.readings,
                "Choose a reading of the rules where the sources disagree: NAME=VALUE."
            )
            .details(
                """
                A contradiction can replace the name, as in C6=documented. atsgate explain readings lists all of them.
                """
            )
            .example("strict-ip=off"),
        ]
        + JudgeSwitch.all.map { row in
            GateOption(row.name, .value(of: row), addsTo: \.readings, row.summary).hidden
        }
}

extension GateChoices {
    /// Settings to apply; each is applied when it is added.
    var readings: [SwitchSetting] {
        get { [] }
        set { for setting in newValue { settings.switches.take(setting) } }
    }
}
