import ATSPolicy
import ArgumentParser
import ProxyCore
import ProxyServer
import Text

/// The dictionary.
struct PolicyOption: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "The dictionary to enforce. (default: secure defaults)",
            discussion: """
                Without it, the rules are those of an app without a dictionary. \(Self.forms)
                Example: Info.plist
                """,
            valueName: "path"),
        completion: .file(), transform: String.given)
    var policy: String?

    /// The kinds of value.
    static let forms = """
        An Info.plist (XML or binary), a bare NSAppTransportSecurity dictionary as property list or JSON, a part \
        of one, the output of PlistBuddy, plutil -p or defaults read, a project file of Expo, Tauri, Cordova, \
        Capacitor, XcodeGen or Tuist (atsgate explain lint#places), an .app, .appex, .ipa or .xcarchive, or - for \
        standard input. PATH#NAME is one app of a project file. store:NAME is the newest version that atsgate \
        policy push has put into the shared store of --store, store:NAME@VERSION that version.
        """

    func apply(to choices: inout GateChoices) { choices.settings.policyPath = policy }
}

/// The dictionary for commands that otherwise use that of a recording.
struct RecordedPolicyOption: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "The dictionary to judge by. (default: the recorded one)", discussion: PolicyOption.forms,
            valueName: "path"),
        completion: .file(), transform: String.given)
    var policy: String?

    func apply(to choices: inout GateChoices) { choices.settings.policyPath = policy }
}

/// The release.
struct SystemOption: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            Self.summary,
            discussion: """
                \(OSProfile.all.map(\.name).joined(separator: ", ")), or any other release since iOS 9: ios12.2, \
                macos15.5, ipados17, tvos16, watchos9, visionos1. auto takes the release from each client's User-Agent, \
                else from the dictionary, else the newest.
                Example: \(OSProfile.newest.name)
                """, valueName: "profile"),
        completion: ShellCompletion.systems.completion, transform: SystemChoice.init(argument:))
    var os: SystemChoice?

    /// Also that of probe, which accepts several releases.
    static let summary = "The release to emulate. (default: the newest, \(OSProfile.newest.name))"

    func apply(to choices: inout GateChoices) {
        if let os { choices.settings.profile = os.profile }
    }
}

/// The release of devices whose loads are known.
struct DeviceSystemOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The release of the device. (default: from the log, else the newest)",
            discussion: "For example ios17, ios18.2 or macos15.", valueName: "profile"),
        completion: ShellCompletion.systems.completion, transform: SystemChoice.init(argument:))
    var os: SystemChoice?

    /// The release; nil if it is not given, and for `auto`.
    var profile: OSProfile? { os?.profile }
}

/// The part of the system.
struct LoaderOption: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "Treat every load as made by this part of the system. (default: from the User-Agent, else app)",
            discussion: """
                Some ATS exceptions apply to only one of them: app is the app's own process through URLSession, web is \
                web content, media is AVFoundation.
                """, valueName: "loader", visibility: .seldom))
    var assume: Loader?

    func apply(to choices: inout GateChoices) { choices.settings.rules.clients.loader = assume }
}

/// Readings of the rules where the sources disagree, and other choices for judging.
struct ReadingOptions: GateOptionGroup {
    @Flag(
        help: ArgumentHelp(
            "Judge as a simulator does, in which NSAllowsArbitraryLoadsForMedia does not allow http media.",
            visibility: .seldom))
    var simulator = false

    @Flag(
        help: ArgumentHelp(
            "Block a root that the release's own trust store lacks, also from iOS 18 on.",
            discussion: """
                Each release is judged by its own store up to 26.0. From iOS 18 and macOS 15 on, a newer store can \
                arrive over the air, so a missing root is only a warning there.
                """, visibility: .seldom))
    var strictRoots = false

    @Option(
        help: ArgumentHelp(
            "Choose a reading of the rules where the sources disagree: NAME=VALUE. (repeatable)",
            discussion: """
                A contradiction can replace the name, as in C6=documented. atsgate explain readings lists all of them.
                Example: strict-ip=off
                """, valueName: "name=value", visibility: .seldom),
        transform: SwitchSetting.init(argument:))
    var reading: [SwitchSetting] = []

    func apply(to choices: inout GateChoices) {
        if simulator { choices.settings.switches.isSimulator = true }
        choices.settings.switches.strictRoots = strictRoots
        for setting in reading { choices.settings.switches.take(setting) }
    }

    /// The words with each reading as a value of `--reading`: earlier versions had an option for each.
    static func current(_ words: [String]) -> [String] {
        var words = words
        for index in words.indices.prefix(while: { words[$0] != "--" }) where words[index].hasPrefix("--") {
            let (name, value) = words[index].dropFirst(2).sides
            guard isOne(name) else { continue }
            if let value {
                words[index] = "--\(Self.name)=\(name)=\(value)"
            } else if index + 1 < words.count {
                words[index] = "--\(Self.name)"
                words[index + 1] = "\(name)=\(words[index + 1])"
            }
        }
        return words
    }

    static let name = "reading"

    /// True if it is the name of a reading.
    static func isOne(_ name: String) -> Bool { JudgeSwitch.all.contains { $0.name == name } }
}

extension Substring {
    /// The parts before and after the first equals sign, without space around it; nil if it has none.
    var sides: (name: String, value: String?) {
        let sides = split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimmed }
        return (sides.first ?? "", sides.dropFirst().first)
    }

    private var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start[..<(start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)])
    }
}

extension SystemChoice {
    /// `auto`, or the name of any release from iOS 9 on.
    init(argument text: String) throws(ValueProblem) {
        if text.lowercased() == "auto" {
            self = .guessed
        } else if let profile = OSProfile.titled(text) {
            self = .named(profile)
        } else if text.wholeMatch(of: /[0-9]{2}[A-Z][0-9]{1,5}[a-z]?/) != nil {
            // iOS and macOS number their builds separately: 24A435 is iOS 27, 26A428 is macOS 27 (public logs).
            throw ValueProblem(
                "\(text) is a build number, which does not identify the platform: name the release, for example "
                    + OSProfile.newest.name)
        } else {
            let near = OSProfile.names(near: text).joined(separator: ", ")
            throw ValueProblem("\(text) is not a release with ATS; the nearest are \(near)")
        }
    }

    /// The named release; nil if it is guessed.
    var profile: OSProfile? {
        if case .named(let profile) = self { profile } else { nil }
    }
}

extension OSProfile {
    /// - Throws: ``CommandFailure`` with 64 that names similar releases.
    init(argument: String) throws(CommandFailure) {
        do throws(ValueProblem) {
            guard let profile = try SystemChoice(argument: argument).profile else {
                throw ValueProblem("name a release, or omit --os to use the release that each load was judged by")
            }
            self = profile
        } catch {
            throw .usage("the value '\(argument)' is invalid for '--os <profile>': \(error)")
        }
    }
}

extension SwitchSetting {
    /// `NAME=VALUE` of any reading.
    init(argument text: String) throws(ValueProblem) {
        if let setting = SwitchSetting(text) {
            self = setting
            return
        }
        let (name, value) = text[...].sides
        guard let row = JudgeSwitch.all.first(where: { $0.name == name }) else {
            throw ValueProblem("\"\(name)\" is not a reading; atsgate explain readings lists them")
        }
        let form = row.values.isEmpty ? row.summary : "write one of \(row.values.joined(separator: ", "))"
        throw ValueProblem("\"\(value ?? "")\" is not a value of \(name): \(form)")
    }
}
