import ArgumentParser
import Fleet
import Postgres
import Reporting
import Text

/// Ships the loads of spools, or of any stores, to a shared store.
struct ShipCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ship",
        abstract: "Ships the loads of spools to a shared store.",
        usage: "atsgate ship <spool> ... --store postgres://USER@HOST/DATABASE",
        discussion: """
            A load is stored once, even if it is shipped again, or from a copy of the file. A store that is not a spool \
            can also be shipped. The files stay.

            Exit code: 0 when all loads of all spools are in the shared store; 65 for a file that is not a store, or has \
            loads that the server rejects; 69 as for atsgate store, and when a running gate ships the spool. The other \
            spools are still shipped.
            """)

    @Argument(help: ArgumentHelp("SQLite files of gates to ship.", valueName: "spool"), completion: .file())
    var spools: [String]

    @OptionGroup(title: .inFullHelp("Files")) var store: StoreOption

    func run() throws {
        guard case .shared(let address) = store.choices.store else {
            throw CommandFailure.usage("name the shared store: --store postgres://USER@HOST/DATABASE")
        }
        // The address may contain a password, so the message does not repeat it.
        guard !spools.contains(where: PostgresAddress.isOne) else {
            throw CommandFailure.usage(
                "a spool is a file, or ./NAME; name the shared store once: --store postgres://USER@HOST/DATABASE")
        }
        if let missing = PostgresLibrary.missing { throw CommandFailure.unavailable(missing) }
        for remark in address.remarks { StandardError.writeLine("atsgate: warning: \(remark)") }
        var worst: Int32 = 0
        var lines: [String] = []
        for path in spools {
            do throws(CommandFailure) {
                lines.append(try SpoolShipment(path: path).ship(to: address).words)
            } catch {
                StandardError.printError(error.sentence)
                worst = max(worst, error.exitCode)
            }
        }
        try Output.withOutput(to: nil) { try $0.write(Array(lines.map { $0 + "\n" }.joined().utf8)) }
        guard worst == 0 else { throw ExitCode(worst) }
    }
}
