import ArgumentParser
import Fleet
import Text

struct PolicyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the newest version of each policy, and older ones that gates enforce.",
        discussion: """
            GATES counts gates that reported in the last five minutes; - if the login may not see gates. A gate \
            reports the version it enforces every ten seconds.
            """)

    @OptionGroup var shared: SharedStoreOptions

    @Argument(help: ArgumentHelp("List every version of this policy.", valueName: "name"))
    var name: String?

    func run() throws {
        let listings = try shared.policies { policies, _ in try policies.list(name) }
        let rows = listings.map { listing in
            [
                "\(listing.name)@\(listing.version)", listing.pushed.dayAndTime, listing.by.printable,
                listing.gates.map { "\($0)" } ?? "-", String(listing.digest.prefix(12)),
            ]
        }
        let lines = [["POLICY", "PUSHED (UTC)", "BY", "GATES", "SHA-256"]] + rows
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let text = lines.map { line in
            zip(line, widths).map { $0.padded(to: $1) }.joined(separator: "  ") + "\n"
        }
        try StoreInitCommand.write(text.joined())
    }
}
