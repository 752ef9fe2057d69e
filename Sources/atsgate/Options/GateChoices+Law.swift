import ATSPolicy
import Declarations
import Diagnosis
import ProxyServer
import Text

extension GateChoices {
    /// The system for a declaration, and what to say about it where it was guessed.
    func system(for declaration: Declaration) -> (profile: OSProfile, remarks: [String]) {
        if let profile = settings.profile { return (profile, []) }
        guard let guess = OSProfile.guess(declaration: declaration) else {
            return (.newest, ["note: nothing tells the system; taken for \(OSProfile.newest.title), the newest"])
        }
        let first = "note: taken for \(guess.profile.title), by \(guess.evidence)"
        return (guess.profile, [first] + guess.notes.map { "note: " + $0 })
    }

    /// Reads the dictionary.
    ///
    /// - Throws: ``CommandFailure`` with 65; as ``StorePolicy/read(patience:)`` for one of a shared store.
    func declaration() throws(CommandFailure) -> Declaration {
        guard let policy = settings.policyPath else { return .secureDefaults }
        if let stored = try StorePolicy(self) { return try stored.read().1 }
        do throws(DeclarationError) {
            return try DeclarationReader.readOne(path: policy)
        } catch {
            throw .badInput("\(error)")
        }
    }

    /// What is to be said about policy and systems when a gate starts.
    func remarks(on declaration: Declaration) -> [String] {
        guard settings.profile == nil else { return declaration.remarks }
        let guess = OSProfile.guess(declaration: declaration)
        let usual = guess.map { "\($0.profile.title), by \($0.evidence)" } ?? "\(OSProfile.newest.title), the newest"
        return declaration.remarks + ["note: clients whose User-Agent tells no system are taken for \(usual)"]
            + (guess?.notes ?? []).map { "note: \($0)" }
    }
}

extension Declaration {
    /// One line, fit for a terminal, for each thing that `atsgate lint` finds wrong in the file, and for other remarks.
    var remarks: [String] {
        let place = source.map { $0 == "-" ? "standard input" : $0 } ?? "policy"
        let lines =
            linted(at: source).problems.map { "\($0.severity.rawValue): \(place): \($0.remark)" }
            + notes.map { "note: \(place): \($0)" }
        return lines.map(\.printable)
    }
}
