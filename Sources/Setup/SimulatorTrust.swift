/// The trust store of one simulator: a database in its data folder, with a row for each certificate that was added.
///
/// `simctl keychain` adds a root and empties the whole keychain, apps' own secrets with it; it takes no single
/// certificate out. So the row goes, by the fingerprint of just our certificate. Sources (observed; Apple documents no
/// part of it): the folder and the column since iOS 14.5, ADVTOOLS/ADVTrustStore issue 17 and pull request 18; that a
/// running simulator looks again only after a restart, docs/setup.md#simulators-and-the-mac.
struct SimulatorTrust {
    let simulator: Simulator
    /// Of the certificate's DER, in hexadecimal.
    let sha256: String

    enum Answer {
        /// The certificate is in.
        case trusts
        /// It is not.
        case doubts
        /// It can not be told: another version of the store, or none where one was expected.
        case unknown
    }

    func ask(_ runner: any CommandRunner) -> Answer {
        let outcome = runner.run(sqlite("SELECT count(*) FROM tsettings WHERE sha256 = x'\(sha256)'", "-readonly"))
        guard outcome.status == 0, let count = Int(outcome.output.filter { !$0.isWhitespace }) else { return .unknown }
        return count > 0 ? .trusts : .doubts
    }

    /// What takes it out.
    var removal: [String] { sqlite("DELETE FROM tsettings WHERE sha256 = x'\(sha256)'") }

    /// A simulator that runs has the store open, too: its turn is waited for.
    ///
    /// - Parameter options: `-readonly` makes no store where there is none.
    private func sqlite(_ statement: String, _ options: String...) -> [String] {
        let store = simulator.dataPath + "/private/var/protected/trustd/private/TrustStore.sqlite3"
        return ["sqlite3"] + options + ["-cmd", ".timeout 5000", store, statement]
    }
}
