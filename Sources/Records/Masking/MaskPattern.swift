public import Text

/// A pattern of `--mask`: a host, or part of a path, that must not be kept in the clear.
public enum MaskPattern: Sendable, Hashable {
    /// `*`.
    case everyHost
    /// `api.example.com`, or `*.example.com` for all hosts below it.
    case host(HostPattern)
    /// A pattern that begins with a slash.
    case path(PathPattern)

    /// - Returns: nil if `text` is neither a host nor a path.
    public init?(_ text: String) {
        if text == "*" {
            self = .everyHost
        } else if text.hasPrefix("/") {
            guard let path = PathPattern(text) else { return nil }
            self = .path(path)
        } else {
            guard let host = HostPattern(text) else { return nil }
            self = .host(host)
        }
    }

    /// The pattern as written.
    public var text: String {
        switch self {
        case .everyHost: "*"
        case .host(let pattern): pattern.text
        case .path(let pattern): pattern.text
        }
    }
}

/// The beginning of a path, compared segment by segment. A segment with `*` or `?` is masked completely; `**`, which
/// must be last, masks everything from there on. A pattern without wildcards masks all segments that it names.
public struct PathPattern: Sendable, Hashable {
    /// The pattern as written.
    public let text: String
    private let segments: [Glob]
    private let masksRest: Bool

    init?(_ text: String) {
        var names = text.split(separator: "/").map(String.init)
        masksRest = names.last == "**"
        if masksRest { names.removeLast() }
        guard masksRest || !names.isEmpty, !names.contains("**") else { return nil }
        self.text = text
        segments = names.map { Glob($0.percentDecoded) }
    }

    /// True if `path` begins with the segments of this pattern.
    ///
    /// - Parameter path: its segments, without empty ones.
    func covers(_ path: [String]) -> Bool {
        path.count >= segments.count && zip(segments, path).allSatisfy { $0.matches($1.percentDecoded) }
    }

    /// True if a segment of a path that this pattern covers must be masked.
    func masks(segment index: Int) -> Bool {
        guard index < segments.count else { return masksRest }
        return segments[index].isPattern || !hasPattern
    }

    private var hasPattern: Bool { masksRest || segments.contains(where: \.isPattern) }
}

extension Glob {
    fileprivate var isPattern: Bool { description.contains { "*?".contains($0) } }
}

extension String {
    /// The text with `%41` and the like replaced by their bytes (RFC 3986 section 2.1). Invalid UTF-8 is repaired.
    var percentDecoded: String {
        guard utf8.contains(UInt8(ascii: "%")) else { return self }
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(String(Substring(digits)), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [PathPattern] {
    /// Returns the indexes of the segments to mask. Patterns apply to the path after its dot segments are resolved (RFC
    /// 3986 section 5.2.4), and to every path that a `..` segment leaves.
    ///
    /// - Parameter segments: empty ones are skipped.
    func maskedPlaces(of segments: [String]) -> Set<Int> {
        var masked: Set<Int> = []
        var way: [Int] = []
        var hasGrown = true
        func look() {
            guard hasGrown else { return }
            hasGrown = false
            let names = way.map { segments[$0] }
            for pattern in self where pattern.covers(names) {
                masked.formUnion(way.indices.filter { pattern.masks(segment: $0) }.map { way[$0] })
            }
        }
        for (place, segment) in segments.enumerated() where !segment.isEmpty {
            switch segment.percentDecoded {
            case ".": continue
            case "..":
                look()
                _ = way.popLast()
            default:
                way.append(place)
                hasGrown = true
            }
        }
        hasGrown = true
        look()
        return masked
    }
}
