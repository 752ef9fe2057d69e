import ATSPolicy
import ArgumentParser
import Declarations

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

    @Option(help: ArgumentHelp("The system to behave like.", valueName: "profile"))
    var os: OSProfile = .newest

    @Option(
        help: ArgumentHelp(
            "Take every load for one by this part of the system.",
            discussion: """
                ATS grants differ: app is the app's own process through URLSession, web is web content, media is \
                AVFoundation. Without it the gate goes by the User-Agent, and by app where that tells nothing.
                """,
            valueName: "loader"))
    var assume: AssumedLoader?

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

    /// What is to be said about the file beside its law. Nothing about standard input: the gate has read that already.
    var remarks: [String] { policy == "-" ? [] : (try? declaration().remarks) ?? [] }
}

extension Declaration {
    /// One line for each thing in the file that will not work as its author meant it, and for other remarks.
    var remarks: [String] {
        let place = source ?? "policy"
        return warnings.map { "warning: \(place): \($0)" } + notes.map { "note: \(place): \($0)" }
    }
}
