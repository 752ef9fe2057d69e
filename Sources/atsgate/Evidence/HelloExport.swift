import ATSPolicy
import Diagnosis
import Records
import Text

/// The hellos of a recording as lines for an issue: one for each distinct hello, dictionary entry and release. All names
/// are masked. Nothing is sent anywhere.
struct HelloExport {
    private let names: NameMask
    private let declaration: Declaration
    private let source: String
    private var mask: RecordMask
    private var lines: [(line: Line, loads: Int)] = []
    private var places: [Line: Int] = [:]

    /// The parts that make a line distinct.
    private struct Line: Hashable {
        let hello: RecordedHello
        let entry: String?
        let key: String?
        let os: String
        let loader: Loader
    }

    /// - Parameter declaration: the dictionary of the recording.
    init(_ names: NameMask, under declaration: Declaration, source: String) {
        self.names = names
        self.declaration = names.declaration(declaration)
        self.source = source
        mask = RecordMask(names)
    }

    /// Adds similar loads. Ignores those without a hello.
    mutating func add(_ record: LoadRecord, loads: Int) {
        guard let hello = record.client.hello else { return }
        var record = record
        mask.apply(to: &record)
        let line = Line(
            hello: hello, entry: record.policy.basis?.entry, key: record.policy.basis?.keyPath, os: record.policy.os,
            loader: record.client.loader)
        if let place = places[line] {
            lines[place].loads += loads
        } else if lines.count < Self.mostLines {
            places[line] = lines.count
            lines.append((line, loads))
        }
    }

    /// The lines as JSON, in order of first appearance.
    ///
    /// - Parameter differing: true for only those that differ from the rules.
    func json(differing: Bool = false) -> [JSONValue] {
        lines.filter { !differing || $0.line.hello.answer.map { $0 != .agree } ?? false }.map { line, loads in
            .object([
                ("id", .string("hello-\((places[line] ?? 0) + 1)")), ("source", .string(source)),
                ("system", .string(line.os)), ("loader", .string(line.loader.rawValue)),
                ("entry", .text(line.entry)), ("key", .text(line.key)), ("dictionary", dictionary(for: line.entry)),
                ("hello", .json(HelloFields.json(of: line.hello))), ("loads", .number(loads)),
            ])
        }
    }

    /// The global keys, and the entry that served the load.
    private func dictionary(for entry: String?) -> JSONValue {
        let members: [(String, JSONValue)] = declaration.members.compactMap { member in
            guard member.key == ATSKey.exceptionDomains else { return (member.key, DeviceCase.json(member.node.value)) }
            guard case .dictionary(let entries) = member.node.value, let entry else { return nil }
            let served = entries.filter { $0.key == entry }.map { ($0.key, DeviceCase.json($0.node.value)) }
            return served.isEmpty ? nil : (member.key, .object(served))
        }
        return .object(members)
    }

    private static let mostLines = 10_000
}
