/// The trust store of one simulator: a database in its data folder, with a row for each certificate that was added.
///
/// `simctl keychain` can add a root, and can empty the whole keychain with the apps' secrets, but cannot remove a
/// single certificate. So its row is deleted, by the certificate's fingerprint. Sources (observed; Apple does not
/// document it): the folder and the column since iOS 14.5, ADVTOOLS/ADVTrustStore issue 17 and pull request 18; that a
/// running simulator reads the store again only after a restart, docs/setup.md#simulators-and-the-mac.
struct SimulatorTrust {
    private let store: String
    private let sha256: String

    /// - Parameter sha256: of the certificate's DER, in hexadecimal.
    /// - Returns: nil if the simulator's data folder is not known.
    init?(_ simulator: Simulator, sha256: String) {
        guard let folder = simulator.dataPath, folder.hasPrefix("/") else { return nil }
        store = folder + "/private/var/protected/trustd/private/TrustStore.sqlite3"
        self.sha256 = sha256
    }

    enum Answer {
        /// The store contains the certificate.
        case trusts
        /// The store does not contain it.
        case isAbsent
        /// Unknown: another version of the store, or no store.
        case unknown
    }

    func ask(_ runner: any CommandRunner) -> Answer {
        let outcome = runner.run(sqlite("SELECT count(*) FROM tsettings WHERE sha256 = x'\(sha256)'", "-readonly"))
        guard outcome.status == 0, let count = Int(outcome.output.filter { !$0.isWhitespace }) else { return .unknown }
        return count > 0 ? .trusts : .isAbsent
    }

    /// The command that removes the certificate.
    var removal: [String] { sqlite("DELETE FROM tsettings WHERE sha256 = x'\(sha256)'") }

    /// Builds a command line. A running simulator also has the store open, so the command waits for the lock. The
    /// user's own `~/.sqliterc` is not read. Source: sqlite.org/cli.html, command-line options.
    ///
    /// - Parameter options: `-readonly` avoids creating a store.
    private func sqlite(_ statement: String, _ options: String...) -> [String] {
        ["sqlite3", "-batch", "-init", "/dev/null", "-noheader", "-list"] + options
            + ["-cmd", ".timeout 5000", store, statement]
    }
}
