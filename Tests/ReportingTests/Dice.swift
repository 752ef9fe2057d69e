import ATSPolicy

/// Random values from a seed, the same for the same seed everywhere: splitmix64 by Sebastiano Vigna (public domain).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in `sides` throws.
    mutating func hits(oneIn sides: Int) -> Bool { Int.random(in: 0..<sides, using: &self) == 0 }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

    /// Text with quotes, controls, and letters of several scripts.
    mutating func text() -> String {
        String((0..<Int.random(in: 0...12, using: &self)).map { _ in one(of: letters) })
    }

    mutating func texts() -> [String] { several { $0.text() } }

    mutating func one<Value>(of values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &self)] }

    mutating func maybe<Value>(_ make: (inout Dice) -> Value) -> Value? { hits(oneIn: 3) ? nil : make(&self) }

    mutating func several<Value>(_ make: (inout Dice) -> Value) -> [Value] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in make(&self) }
    }
}

private let letters: [Character] = [
    "a", "Z", "0", "\"", "\\", "/", "\u{0}", "\u{1}", "\n", "\u{7F}", "é", "漢", "🦊", "\u{202E}",
]
