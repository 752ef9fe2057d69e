import ATSPolicy
public import Text

/// The readings of the rules that can be chosen, for `explain readings`.
public enum ReadingList {
    /// One paragraph for each reading: its name and values, the default, the contradiction, and a sentence.
    public static var words: String {
        JudgeSwitch.all.map { row in
            let values = row.values.isEmpty ? "LIST" : row.values.joined(separator: "|")
            return """
                --reading \(row.name)=\(values)
                  \(row.summary)
                  default: \(row.standard ?? "by --os"); see \(row.page)
                """
        }.joined(separator: "\n\n")
    }

    /// A list of objects with `name`, `values`, `default` (null if the release decides), `source` and `summary`.
    public static var json: JSONValue {
        .array(
            JudgeSwitch.all.map { row in
                .object([
                    ("name", .string(row.name)), ("values", .array(row.values.map { .string($0) })),
                    ("default", .text(row.standard)), ("source", .string(row.source)),
                    ("summary", .string(row.summary)),
                ])
            })
    }
}

extension JudgeSwitch {
    /// The page that has the sources.
    fileprivate var page: String {
        source.hasPrefix("C") ? "atsgate explain contradictions#\(source.lowercased())" : source
    }
}
