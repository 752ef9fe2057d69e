import ATSPolicy
import Foundation

/// One load that was seen on a real system, as a line of `Tests/Agreement`. It keeps only the report's address, a
/// summary and quoted log lines. UUIDs and connection numbers in lines are replaced by `U` and 1.
struct ReportedCase: Decodable {
    enum Kind: String, CaseIterable {
        case reports, logs, nscurl

        /// The title for readers, in the plural.
        var title: String {
            switch self {
            case .reports: "field reports"
            case .logs: "device logs"
            case .nscurl: "tests of nscurl"
            }
        }
    }

    /// The device's result. Numbers are absent if the report does not contain them.
    struct Device: Decodable {
        enum Outcome: String, Decodable { case allowed, refused }

        enum Trust: String, Decodable { case strict, lax }

        let outcome: Outcome
        let code: Int?
        let stream: Int?
        /// From the ruling's line, or from `System Trust Evaluation` (inferred).
        let trust: Trust?
        /// The lowest version in the ruling's line, for example 1.2.
        let floor: String?
    }

    let id: String
    /// The report's address, or words to search for.
    let source: String
    /// In the form that `--os` accepts; nil if the report does not name the release.
    let system: String?
    /// The NSAppTransportSecurity in force.
    let dictionary: PropertyTree
    let url: String
    let loader: Loader?
    /// The origin's fault, in the words of ``ReportedOrigin``.
    let origin: String?
    /// True if the load was in a simulator, which differs for media.
    let simulator: Bool?
    /// True if the app's own code accepts any certificate.
    let override: Bool?
    /// True if the dictionary, the release or the origin is inferred from the report.
    let assumed: Bool?
    let variants: [ConsoleVariant]?
    let device: Device
    let words: String
    /// The beginnings of lines that the device printed.
    let lines: [String]?
    /// Why the gate's result differs.
    let why: String?
    /// Why the results cannot be compared.
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
