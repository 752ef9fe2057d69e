import ATSPolicy
import Evidence
import Foundation
import Testing

@Suite("documentation of messages")
struct DocumentationTests {
    @Test("docs/evidence.md lists every message shape with its source and confidence")
    func shapes() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/evidence.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        for shape in MessageShape.all {
            #expect(text.contains("| \(shape.name) | \(shape.source) | \(shape.confidence.rawValue) |"))
        }
        #expect(
            text.split(separator: "\n").count { $0.contains(" | observed") || $0.contains(" | inferred |") }
                == MessageShape.all.count)
    }
}
