public import Text

/// What of a load must not be kept as it is: a host, or a part of a path. `--mask` takes such patterns.
public enum MaskPattern: Sendable, Hashable {
    /// `*`.
    case everyHost
    /// `api.example.com`, or `*.example.com` for all below.
    case host(HostPattern)
    /// What begins with a slash.
    case path(PathPattern)

    /// - Returns: nil for what is neither a host nor a path.
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

    /// As it was written.
    public var text: String {
        switch self {
        case .everyHost: "*"
        case .host(let pattern): pattern.text
        case .path(let pattern): pattern.text
        }
    }
}

/// The beginning of a path, segment by segment. Of a segment with a `*` or `?` all is masked, of `**`, which is the last one,
/// everything from there on. A pattern without either masks all segments that it names.
public struct PathPattern: Sendable, Hashable {
    /// As it was written.
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

    /// Whether a path begins so.
    ///
    /// - Parameter path: its segments, without those that are empty.
    func covers(_ path: [String]) -> Bool {
        path.count >= segments.count && zip(segments, path).allSatisfy { $0.matches($1.percentDecoded) }
    }

    /// Whether a segment of a path that this pattern covers is to be masked.
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
    /// With the bytes that `%41` and its like stand for (RFC 3986 section 2.1); what is no UTF-8 then is replaced.
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
