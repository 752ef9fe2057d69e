/// The trust store of one simulator: a database in its data folder, with a row for each certificate that was added.
///
/// `simctl keychain` adds a root and empties the whole keychain, apps' own secrets with it; it takes no single
/// certificate out. So the row goes, by the fingerprint of just our certificate. Sources (observed; Apple documents no
/// part of it): the folder and the column since iOS 14.5, ADVTOOLS/ADVTrustStore issue 17 and pull request 18; that a
/// running simulator looks again only after a restart, docs/setup.md#simulators-and-the-mac.
struct SimulatorTrust {
    private let store: String
    private let sha256: String

    /// - Parameter sha256: of the certificate's DER, in hexadecimal.
    /// - Returns: nil where it is not known where that simulator stores anything.
    init?(_ simulator: Simulator, sha256: String) {
        guard let folder = simulator.dataPath, folder.hasPrefix("/") else { return nil }
        store = folder + "/private/var/protected/trustd/private/TrustStore.sqlite3"
        self.sha256 = sha256
    }

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

    /// A simulator that runs has the store open, too: its turn is waited for. What people have their own shell do at its
    /// start, in `~/.sqliterc`, is left out. Source: sqlite.org/cli.html, command-line options.
    ///
    /// - Parameter options: `-readonly` makes no store where there is none.
    private func sqlite(_ statement: String, _ options: String...) -> [String] {
        ["sqlite3", "-batch", "-init", "/dev/null", "-noheader", "-list"] + options
            + ["-cmd", ".timeout 5000", store, statement]
    }
}
