/// Commands under their former names. A usage error names the command that replaced one.
enum FormerCommands {
    /// The new command by the former one.
    static let successors = [
        "ship": "atsgate recordings import SPOOL... --store postgres://USER@HOST/DATABASE",
        "uninstall": "atsgate setup uninstall",
        "recordings check": "atsgate doctor --store FILE",
        "recordings prune": "atsgate recordings delete --older-than AGE --larger-than SIZE",
        "recordings show": "atsgate recordings list NAME, or atsgate report --recording NAME --by host",
        "store check": "atsgate doctor --store postgres://USER@HOST/DATABASE",
        "store roles": "atsgate store init --roles --store postgres://USER@HOST/DATABASE",
        "policy show": "atsgate policy pull NAME",
    ]
}
