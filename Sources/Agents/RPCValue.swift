internal import Foundation
public import Text

/// A JSON value of a message, as received.
public indirect enum RPCValue: Sendable, Hashable {
    case null
    case flag(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case list([RPCValue])
    case members([String: RPCValue])

    /// - Parameter bytes: one JSON text (RFC 8259). Foundation's decoder limits the depth to 512.
    /// - Returns: nil for anything else.
    public init?(json bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(RPCValue.self, from: Data(bytes)) else { return nil }
        self = value
    }

    /// A member of an object; nil for a missing one, and for another value.
    public subscript(name: String) -> RPCValue? {
        if case .members(let members) = self { members[name] } else { nil }
    }

    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The value for a message.
    public var json: JSONValue {
        switch self {
        case .null: .null
        case .flag(let flag): .flag(flag)
        case .integer(let number): .number(Int(number))
        case .real(let number): number.isFinite ? .json("\(number)") : .null
        case .text(let text): .string(text)
        case .list(let values): .array(values.map(\.json))
        case .members(let members): .object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
        }
    }
}

extension RPCValue: Decodable {
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: AnyName.self) {
            self = .members(
                try members.allKeys.reduce(into: [:]) {
                    $0[$1.stringValue] = try members.decode(RPCValue.self, forKey: $1)
                })
            return
        }
        if var list = try? decoder.unkeyedContainer() {
            var values: [RPCValue] = []
            while !list.isAtEnd { values.append(try list.decode(RPCValue.self)) }
            self = .list(values)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Double.self) {
            self = .real(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    private struct AnyName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
