import Evidence

/// Reads the logs that tests write, in one piece or in many.
enum LogReading {
    static func tasks(_ text: String, system: String? = nil) -> [EvidenceTask] {
        read(Array(text.utf8), system: system).tasks
    }

    /// - Parameter piece: size of a piece in bytes.
    static func read(
        _ bytes: [UInt8], pieces piece: Int = .max, system: String? = nil
    ) -> (tasks: [EvidenceTask], counts: EvidenceCounts) {
        var reader = EvidenceReader(log: "test.txt", system: system)
        var tasks: [EvidenceTask] = []
        var start = 0
        while start < bytes.count {
            let end = piece < bytes.count - start ? start + piece : bytes.count
            bytes[start..<end].withUnsafeBytes { reader.read($0) { tasks.append($0) } }
            start = end
        }
        reader.finish { tasks.append($0) }
        return (tasks, reader.counts)
    }
}

/// Task names as CFNetwork prints them.
enum Names {
    static let one = "<0A0A0A0A-1111-4222-8333-444444444444>.<1>"
    static let two = "<0A0A0A0A-1111-4222-8333-444444444444>.<2>"
    static let three = "<0B0B0B0B-1111-4222-8333-444444444444>.<3>"
}
