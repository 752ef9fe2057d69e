import ATSPolicy
import ArgumentParser
import Declarations
import Text

/// Which law is applied: shared by everything that rules on loads.
struct LawOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The dictionary to enforce.",
            discussion: """
                An Info.plist (XML or binary), a bare NSAppTransportSecurity dictionary as property list or JSON, an \
                .app, .appex, .ipa or .xcarchive, or - for standard input. Without it, the secure defaults: what an \
                app gets that has no dictionary.
                """,
            valueName: "path"))
    var policy: String?

    @Option(
        name: .customLong("os"),
        help: ArgumentHelp(
            "The system to behave like (default: \(OSProfile.newest.name)).",
            discussion: """
                \(OSProfile.all.map(\.name).joined(separator: ", ")), or any other release since iOS 9: ios12.2, \
                macos15.5, ipados17, tvos16, watchos9, visionos1. auto goes by the declaration, or by the newest where \
                that tells nothing.
                """,
            valueName: "profile"),
        transform: SystemChoice.init(argument:))
    var system: SystemChoice?

    @OptionGroup(title: "Where sources disagree") var readings: ReadingOptions

    @Option(
        help: ArgumentHelp(
            "Take every load for one by this part of the system.",
            discussion: """
                ATS grants differ: app is the app's own process through URLSession, web is web content, media is \
                AVFoundation. Without it the gate goes by the User-Agent, and by app where that tells nothing.
                """,
            valueName: "loader"))
    var assume: AssumedLoader?

    /// The system that was named; the newest when none was.
    var os: OSProfile {
        switch system {
        case .profile(let profile): profile
        case .auto, nil: .newest
        }
    }

    /// The system for a declaration, and what to say about it where it was guessed.
    func system(for declaration: Declaration) -> (profile: OSProfile, remarks: [String]) {
        guard system == .auto else { return (os, []) }
        guard let guess = OSProfile.guess(declaration: declaration) else {
            return (os, ["note: nothing tells the system; taken for \(os.title), the newest"])
        }
        let first = "note: taken for \(guess.profile.title), by \(guess.evidence)"
        return (guess.profile, [first] + guess.notes.map { "note: " + $0 })
    }

    /// Reads the dictionary.
    ///
    /// - Throws: ``CommandFailure`` with 65.
    func declaration() throws -> Declaration {
        guard let policy else { return .secureDefaults }
        do throws(DeclarationError) {
            return try DeclarationReader.readOne(path: policy)
        } catch {
            throw CommandFailure.badInput("\(error)")
        }
    }
}

extension Declaration {
    /// One line, fit for a terminal, for each thing in the file that will not work as its author meant it, and for other remarks.
    var remarks: [String] {
        let place = source.map { $0 == "-" ? "standard input" : $0 } ?? "policy"
        let lines = warnings.map { "warning: \(place): \($0)" } + notes.map { "note: \(place): \($0)" }
        return lines.map(\.printable)
    }
}
