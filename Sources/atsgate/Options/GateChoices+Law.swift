import ATSPolicy
import Declarations
import Diagnosis
import ProxyCore
import ProxyServer
import Text

extension GateChoices {
    /// The release for a dictionary, and remarks if it was guessed.
    func system(for declaration: Declaration) -> (profile: OSProfile, remarks: [String]) {
        if let profile = settings.profile { return (profile, []) }
        guard let guess = OSProfile.guess(declaration: declaration) else {
            return (.newest, ["note: no release is known; assuming \(OSProfile.newest.title), the newest"])
        }
        let first = "note: assuming \(guess.profile.title), by \(guess.evidence)"
        return (guess.profile, [first] + guess.notes.map { "note: " + $0 })
    }

    /// Reads the dictionary.
    ///
    /// - Throws: ``CommandFailure`` with 65; for a shared store, as ``StorePolicy/read(timeout:)``.
    func declaration() throws(CommandFailure) -> Declaration { try dictionary().declaration }

    /// Reads the dictionary, and the text of its file; nil for a binary property list and without a file.
    func dictionary() throws(CommandFailure) -> (declaration: Declaration, text: String?) {
        guard let policy = settings.policyPath else { return (.secureDefaults, nil) }
        if let stored = try StorePolicy(self) {
            let declaration = try stored.read().1
            return (declaration, declaration.source.flatMap(StorePolicy.text))
        }
        do throws(DeclarationError) {
            let loaded = try DeclarationReader.readMain(path: policy)
            return (loaded.declaration, loaded.text)
        } catch {
            throw .badInput("\(error)")
        }
    }

    /// The decisions of the app's own code about certificates.
    ///
    /// - Throws: ``CommandFailure`` with 65 for a certificate of `--app-pin` that cannot be read.
    func appTrust() throws(CommandFailure) -> AppTrust {
        var trust = settings.rules.appTrust
        for pin in pins { trust.pins.append(try pin.pin()) }
        return trust
    }

    /// Remarks on the dictionary and on releases for the start of a gate.
    func remarks(on declaration: Declaration) -> [String] {
        guard settings.profile == nil else { return declaration.remarks }
        let guess = OSProfile.guess(declaration: declaration)
        let usual = guess.map { "\($0.profile.title), by \($0.evidence)" } ?? "\(OSProfile.newest.title), the newest"
        return declaration.remarks + ["note: clients whose User-Agent shows no release are judged as \(usual)"]
            + (guess?.notes ?? []).map { "note: \($0)" }
    }
}

extension Declaration {
    /// One line, fit for a terminal, for each finding of `atsgate lint`, and for other remarks.
    var remarks: [String] { remarks(linted(at: source)) }

    func remarks(_ file: LintedFile) -> [String] {
        let place = source.map { $0 == "-" ? "standard input" : $0 } ?? "policy"
        let lines =
            file.problems.map { "\($0.severity.rawValue): \(place): \($0.remark)" }
            + notes.map { "note: \(place): \($0)" }
        return lines.map(\.printable)
    }
}
