public import ATSPolicy

/// A place in an app that contains a URL.
public struct FoundPlace: Sendable, Hashable, Comparable {
    /// Path of the file, beginning with the outermost bundle.
    public let file: String
    /// The section of a binary, or the key path of a property list; nil for other files.
    public let part: String?

    public init(file: String, part: String? = nil) {
        self.file = file
        self.part = part
    }

    /// `Demo.app/Demo __TEXT,__cstring`.
    public var words: String { part.map { file + " " + $0 } ?? file }

    public static func < (left: FoundPlace, right: FoundPlace) -> Bool {
        (left.file, left.part ?? "") < (right.file, right.part ?? "")
    }
}

/// One server of an app: a scheme, a host and a port, with the places that name it.
public struct HostRow: Sendable, Hashable {
    public struct Key: Sendable, Hashable {
        public let scheme: FoundText.Scheme?
        public let host: String
        public let port: Int?
    }

    public let key: Key
    /// The first URL, as written; nil if only the host is in the app.
    public var url: String?
    public internal(set) var found: [FoundPlace] = []
    /// Places in addition to ``found``, which has at most ``HostRow/mostPlaces``.
    public internal(set) var morePlaces = 0
    /// Paths of the executables that contain the places.
    public internal(set) var executables: Set<String> = []

    public var scheme: FoundText.Scheme? { key.scheme }
    public var host: String { key.host }

    static let mostPlaces = 20

    /// The target of a load; https for a host without a scheme.
    public var target: LoadTarget {
        let scheme: LoadTarget.Scheme = key.scheme == .http || key.scheme == .ws ? .http : .https
        return LoadTarget(scheme: scheme, host: key.host, port: key.port ?? scheme.defaultPort)
    }

    /// True for http and ws.
    public var isCleartext: Bool { key.scheme == .http || key.scheme == .ws }

    /// The URL, or the host.
    public var name: String { url ?? key.host }

    mutating func add(_ place: FoundPlace, in executable: String) {
        executables.insert(executable)
        guard !found.contains(place) else { return }
        if found.count < Self.mostPlaces { found.append(place) } else { morePlaces += 1 }
    }
}

/// The servers that the files of an app name, collected while the files are read.
struct HostCollection {
    private(set) var rows: [HostRow.Key: HostRow] = [:]
    private(set) var noise: [HostRow.Key: (kind: Noise.Kind, row: HostRow)] = [:]
    /// URLs whose host is inserted when the program runs, with their places.
    private(set) var templates: [String: HostRow] = [:]
    /// True if there were more servers than the limit.
    private(set) var isCut = false

    mutating func add(_ found: FoundText, at place: FoundPlace, in executable: String, isDocument: Bool) {
        let key = HostRow.Key(scheme: found.scheme, host: found.host, port: found.port)
        if found.isTemplate {
            guard templates.count < Self.mostRows else { return isCut = true }
            templates[found.text, default: HostRow(key: key, url: found.text)].add(place, in: executable)
        } else if let kind = Noise.kind(of: found) ?? (isDocument || found.isProse ? .documentation : nil) {
            guard noise[key] != nil || noise.count < Self.mostRows else { return isCut = true }
            noise[key, default: (kind, HostRow(key: key, url: found.scheme == nil ? nil : found.text))]
                .row.add(place, in: executable)
        } else {
            guard rows[key] != nil || rows.count < Self.mostRows else { return isCut = true }
            rows[key, default: HostRow(key: key, url: found.scheme == nil ? nil : found.text)].add(
                place, in: executable)
        }
    }

    /// The servers: cleartext first, then https, then hosts without a scheme; each by name. A host without a scheme is
    /// left out if a URL has the same host.
    var sorted: [HostRow] {
        let named = Set(rows.keys.filter { $0.scheme != nil }.map(\.host))
        return rows.values.filter { $0.scheme != nil || !named.contains($0.host) }.sorted { $0.order < $1.order }
    }

    /// URLs that the app does not load, by kind and name. Hosts that ``rows`` also has are included.
    var sortedNoise: [(kind: Noise.Kind, row: HostRow)] {
        noise.values.sorted {
            ($0.kind.rawValue, $0.row.host, $0.row.order.1) < ($1.kind.rawValue, $1.row.host, $1.row.order.1)
        }
    }

    var sortedTemplates: [HostRow] { templates.values.sorted { ($0.url ?? "") < ($1.url ?? "") } }

    private static let mostRows = 20_000
}

extension HostRow {
    fileprivate var order: (Int, String, Int) {
        let rank = isCleartext ? 0 : key.scheme == nil ? 2 : 1
        return (rank, key.host, key.port ?? 0)
    }
}
