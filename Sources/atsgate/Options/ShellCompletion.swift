import ATSPolicy
import ArgumentParser
import Foundation
import Reporting
import Text
import Topics

/// Values that a shell offers while a command is typed. Its script does not contain them, but gets them from the
/// program each time.
enum ShellCompletion: Sendable {
    /// Releases for `--os`.
    case systems
    /// Names of recordings, the newest first.
    case recordings
    /// Ids of rules.
    case rules
    /// Ids of rules, and pages that `explain` prints.
    case subjects

    /// The completion in the form of ArgumentParser.
    var completion: CompletionKind {
        .custom { words, _, beginning in values(words).filter { $0.hasPrefix(beginning) } }
    }

    /// - Parameter words: the typed words.
    private func values(_ words: [String]) -> [String] {
        switch self {
        case .systems: OSProfile.all.reversed().map(\.name) + ["auto"]
        case .recordings: Self.recordings(in: Self.store(words))
        case .rules: RuleID.allCases.map(\.rawValue)
        case .subjects: RuleID.allCases.map(\.rawValue) + Topic.names
        }
    }

    /// The store that the command would read.
    private static func store(_ words: [String]) -> String {
        let option = "--store"
        if let index = words.lastIndex(of: option), index + 1 < words.count { return words[index + 1] }
        if let word = words.last(where: { $0.hasPrefix(option + "=") }) {
            return String(word.dropFirst(option.count + 1))
        }
        return ProcessInfo.processInfo.environment[EnvironmentVariables.variable("store")] ?? DataDirectory.storePath
    }

    /// Empty without a readable store: a shell cannot show an error.
    private static func recordings(in store: String) -> [String] {
        // Completion must not wait for a shared store.
        guard FileManager.default.fileExists(atPath: store), let reader = try? StoreReader(path: store) else {
            return []
        }
        return ((try? reader.recordings()) ?? []).suffix(shown).reversed().map(\.name)
    }

    /// As many names as fit on a screen.
    private static let shown = 40
}
