import Records

/// Compares the lines of a device's console with those that the gate predicts.
struct ConsoleComparison {
    /// nil if neither side has lines that can be compared.
    let row: LoadComparison.Row?

    init(_ device: [String], _ gate: [String], areQuoted: Bool, isReleaseKnown: Bool = true) {
        let own = gate.map(Self.normal)
        if areQuoted {
            let missing = device.first { line in !own.contains { $0.hasPrefix(Self.normal(line)) } }
            row = device.isEmpty ? nil : Self.row(missing.map { ($0, nil) }, count: device.count)
            return
        }
        let compared = device.map(Self.normal).filter { line in own.contains { Self.kind($0) == Self.kind(line) } }
        guard isReleaseKnown || compared.isEmpty else {
            let why = "the device's release is not known, and lines differ between releases"
            row = LoadComparison.Row(
                field: .lines, answer: .unknown, device: "\(compared.count) compared", gate: "not compared", why: why)
            return
        }
        let other = compared.first { line in !own.contains { Self.isSame(line, $0) } }
        let alike = other.flatMap { line in own.first { Self.kind($0) == Self.kind(line) } }
        row = compared.isEmpty ? nil : Self.row(other.map { ($0, alike) }, count: compared.count)
    }

    private static func row(_ other: (device: String, gate: String?)?, count: Int) -> LoadComparison.Row {
        LoadComparison.Row(
            field: .lines, answer: other == nil ? .agree : .otherLines, device: other?.device ?? "\(count) compared",
            gate: other.map { $0.gate ?? "no such line" } ?? "the same", why: nil)
    }

    /// Either line may be cut off, by the system's limit or by the person who copied it.
    private static func isSame(_ one: String, _ other: String) -> Bool { one.hasPrefix(other) || other.hasPrefix(one) }

    /// The line without parts that differ from load to load: task names, connection numbers, memory addresses, byte
    /// counts, an empty category, and `UserInfo`, whose members have no order.
    static func normal(_ line: String) -> String {
        // `[]` is an empty category, which `evidence read` and people leave out.
        var text = line.hasPrefix("[] ") ? String(line.dropFirst(3)) : line
        if let more = text.firstRange(of: " UserInfo=") { text = String(text[..<more.lowerBound]) }
        if let more = text.firstRange(of: "UserInfo={") { text = String(text[..<more.lowerBound]) }
        return text.replacing(/<[0-9A-Fa-f-]{36}>\.<\d+>/, with: "<U>.<1>")
            .replacing(/Connection \d+:/, with: "Connection 1:").replacing(/0x[0-9A-Fa-f]+/, with: "0x0")
            .replacing(/\d+\/\d+ bytes/, with: "0/0 bytes")
    }

    /// The first words of the line.
    private static func kind(_ line: String) -> [Substring] {
        let words = line.split { !$0.isLetter && $0 != "-" }
        return Array(words.lazy.filter { $0 != "U" && $0 != "-" }.prefix(wordsOfKind))
    }

    private static let wordsOfKind = 4
}
