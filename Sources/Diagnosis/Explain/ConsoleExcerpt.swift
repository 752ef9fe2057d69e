import ATSPolicy
import Text

/// The lines that some releases print for a failure. Source: docs/console-lines.md.
public struct ConsoleExcerpt: Sendable, Hashable {
    /// Written as in ``NumberMeaning/releases``.
    public let releases: String
    public let lines: [String]

    /// Releases with the same lines share an excerpt. Releases without recorded lines have none.
    ///
    /// - Parameter places: indices into ``NumberMeaning/releaseProfiles``.
    static func all(of known: KnownFailure, at places: [Int]) -> [ConsoleExcerpt] {
        var groups: [(lines: [String], places: [Int])] = []
        for place in places {
            let lines = known.error(on: NumberMeaning.releaseProfiles[place]).log
            guard !lines.isEmpty else { continue }
            if let index = groups.firstIndex(where: { $0.lines == lines }) {
                groups[index].places.append(place)
            } else {
                groups.append((lines, [place]))
            }
        }
        return groups.map { ConsoleExcerpt(releases: NumberMeaning.words($0.places), lines: $0.lines) }
    }

    var json: JSONValue { .object([("releases", .string(releases)), ("lines", .texts(lines))]) }
}
