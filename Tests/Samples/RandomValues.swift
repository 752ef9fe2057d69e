package import Seeded

/// Random values of a record's fields.
extension SeededGenerator {
    /// True in one of `sides` cases.
    package mutating func hits(oneIn sides: Int) -> Bool { Int.random(in: 0..<sides, using: &self) == 0 }

    package mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

    /// Text with quotes, controls, and letters of several scripts.
    package mutating func text() -> String {
        String((0..<Int.random(in: 0...12, using: &self)).map { _ in one(of: letters) })
    }

    package mutating func texts() -> [String] { several { $0.text() } }

    package mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &self)]
    }

    package mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? { hits(oneIn: 3) ? nil : make(&self) }

    package mutating func several<Value>(_ make: (inout Self) -> Value) -> [Value] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in make(&self) }
    }
}

private let letters: [Character] = [
    "a", "Z", "0", "\"", "\\", "/", "\u{0}", "\u{1}", "\n", "\u{7F}", "é", "漢", "🦊", "\u{202E}",
]
