import CResources

/// A text file built into the program: `docs/law/tls.md`, `page/app.js`, `device/onboarding.js`, `report/report.css`.
public struct Resource: Sendable {
    public let bytes: [UInt8]

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// - Parameter name: the name of an existing file. Any other name is a programming error and traps.
    public init(_ name: String) {
        guard let found = Self.all.first(where: { String(cString: $0.name) == name }) else {
            preconditionFailure("resource \(name) does not exist")
        }
        self.init(found)
    }

    private init(_ resource: CResource) {
        bytes = Array(String(cString: resource.text).utf8)
    }

    /// Returns the names with a prefix, such as `docs/`, in the order of the list.
    public static func names(of kind: String) -> [String] {
        all.map { String(cString: $0.name) }.filter { $0.hasPrefix(kind) }
    }

    private static var all: some Sequence<CResource> {
        sequence(first: 0) { $0 + 1 }.lazy.map { cresource($0) }.prefix { $0 != nil }.compactMap { $0?.pointee }
    }
}
