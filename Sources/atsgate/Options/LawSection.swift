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
                An Info.plist (XML or binary), a bare NSAppTransportSecurity dictionary as property list or JSON, an \
                .app, .appex, .ipa or .xcarchive, or - for standard input. store:NAME is the newest version that \
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
            "outside", .choice("what"), sets: \.settings.rules.clients.outside,
            "How to treat clients that ATS does not govern on a device."
        )
        .details(
            """
            They are recognized by their User-Agent: Safari and other browsers of an iPhone, iPad or Mac, and, \
            except with run, Dart, okhttp and Go. pass: they are not judged, and are recorded as outside; judge: they \
            are judged as the app. --assume overrides this.
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
