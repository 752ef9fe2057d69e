import Foundation

/// The commands of a page in docs/ci, as its CI system would run them.
struct RecipePage {
    private let text: String

    /// - Parameter name: The file name.
    init(_ name: String) throws {
        text = try String(contentsOf: Repository.file("docs/ci/\(name)"), encoding: .utf8)
    }

    /// The fenced blocks of one language.
    func blocks(_ language: String) -> [String] {
        var blocks: [String] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = block {
                guard line == "```" else {
                    block = lines + [line]
                    continue
                }
                blocks.append(lines.joined(separator: "\n") + "\n")
                block = nil
            } else if line == "```" + language {
                block = []
            }
        }
        return blocks
    }

    /// The scripts of a workflow in YAML: literal blocks of `run`, `content` and lists.
    static func scripts(ofYAML text: String) -> [String] {
        var scripts: [String] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let match = line.firstMatch(of: /^( *)(?:- )?(?:(?:run|content): )?\|$/) else { continue }
            let indent = match.1.count
            let body = lines[(index + 1)...].prefix { $0.isEmpty || $0.prefix { $0 == " " }.count > indent }
            let margin = body.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
            scripts.append(body.map { String($0.dropFirst(margin)) }.joined(separator: "\n") + "\n")
        }
        return scripts
    }

    /// The text between two marks.
    static func script(of text: String, from begin: String, to end: String) -> String? {
        guard let start = text.range(of: begin)?.upperBound, let stop = text[start...].range(of: end)?.lowerBound
        else { return nil }
        return String(text[start..<stop])
    }
}
