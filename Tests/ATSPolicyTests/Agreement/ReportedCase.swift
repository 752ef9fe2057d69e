import ATSPolicy
import Foundation

/// One load that somebody saw on a real system, as a line of `Tests/Agreement`. Its address, its words and quoted log
/// lines are all that is kept; UUIDs and numbers of connections in lines are `U` and 1.
struct ReportedCase: Decodable {
    enum Kind: String, CaseIterable {
        case reports, logs, nscurl

        /// For people, in the plural.
        var title: String {
            switch self {
            case .reports: "field reports"
            case .logs: "device logs"
            case .nscurl: "tests of nscurl"
            }
        }
    }

    /// What the device did. Numbers are absent where the report does not tell them.
    struct Device: Decodable {
        enum Outcome: String, Decodable { case allowed, refused }

        enum Trust: String, Decodable { case strict, lax }

        let outcome: Outcome
        let code: Int?
        let stream: Int?
        /// Of the ruling's line, or of `System Trust Evaluation` (inferred).
        let trust: Trust?
        /// The lowest version of the ruling's line, for example 1.2.
        let floor: String?
    }

    let id: String
    /// An address, or what finds the report.
    let source: String
    /// As `--os` takes it; nil where the report does not tell.
    let system: String?
    /// The NSAppTransportSecurity that was in force.
    let dictionary: PropertyTree
    let url: String
    let loader: Loader?
    /// What was wrong with the origin, in the words of ``ReportedOrigin``.
    let origin: String?
    /// The app's own code accepts any certificate.
    let override: Bool?
    /// The report leaves the dictionary, the release or the origin to be understood.
    let assumed: Bool?
    let variants: [ConsoleVariant]?
    let device: Device
    let words: String
    /// Beginnings of lines that the device printed.
    let lines: [String]?
    /// Why the gate says something else.
    let why: String?
    /// Why the two cannot be compared.
    let unknown: String?

    static func all(of kind: Kind) throws -> [ReportedCase] {
        let file = Repository.folder.appending(path: "Tests/Agreement/\(kind.rawValue).jsonl")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(ReportedCase.self, from: Data($0.utf8))
        }
    }

    enum Repository {
        static let folder = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    }
}

extension Loader: Decodable {}
extension ConsoleVariant: Decodable {}

/// A property list in JSON.
struct PropertyTree: Decodable {
    let value: PropertyValue

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Key.self) {
            value = .dictionary(
                try members.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
                    let node = PropertyNode(try members.decode(PropertyTree.self, forKey: key).value, line: 1)
                    return PropertyMember(key: key.stringValue, keyLine: 1, node: node)
                })
            return
        }
        let single = try decoder.singleValueContainer()
        if let items = try? single.decode([PropertyTree].self) {
            value = .array(items.map { PropertyNode($0.value) })
        } else if let flag = try? single.decode(Bool.self) {
            value = .boolean(flag)
        } else {
            value = .string(try single.decode(String.self))
        }
    }
}
