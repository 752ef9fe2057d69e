import Foundation

/// The blocks of a page that show commands: ```` ```console ```` with what each prints, ```` ```sh ```` without.
struct Transcript {
    /// A command, and its output as shown on the page; nil if the page shows none.
    struct Step: Sendable, CustomStringConvertible {
        let command: String
        let output: String?
        var description: String { command }
    }

    let steps: [Step]

    /// - Parameter path: The page's path from the root of the repository.
    init(of path: String) throws {
        let text = try String(contentsOf: Repository.file(path), encoding: .utf8)
        var steps: [Step] = []
        for block in text.matches(of: /(?ms)^```(sh|console)\n(.*?)^```$/) {
            steps += block.1 == "sh" ? Self.commands(block.2) : Self.conversation(block.2)
        }
        self.steps = steps
    }

    private static func commands(_ block: Substring) -> [Step] {
        block.split(separator: "\n").map { line in
            Step(command: String(line.replacing(/\s+#.*$/, with: "")), output: nil)
        }
    }

    private static func conversation(_ block: Substring) -> [Step] {
        var steps: [Step] = []
        for line in block.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2)), output: ""))
            } else if let last = steps.popLast() {
                steps.append(Step(command: last.command, output: (last.output ?? "") + line + "\n"))
            }
        }
        return steps
    }
}

extension Transcript.Step {
    /// Whether a command printed the output shown on the page. `[...]` marks a cut: within a line it matches some text,
    /// alone any number of lines.
    func matches(_ printed: String) -> Bool {
        guard let output else { return true }
        var pattern = ""
        for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line == "[...]" {
                pattern += "(?:.*\\n)*?"
            } else {
                let parts = line.split(separator: "[...]", omittingEmptySubsequences: false)
                pattern +=
                    parts.map { NSRegularExpression.escapedPattern(for: String($0)) }.joined(separator: ".*") + "\\n"
            }
        }
        return printed.replacing("\r\n", with: "\n").range(of: "\\A\(pattern)\\Z", options: .regularExpression) != nil
    }
}
