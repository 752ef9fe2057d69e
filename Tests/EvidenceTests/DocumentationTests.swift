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
            text.split(separator: "\n").count { line in
                [" | observed |", " | observed-once |", " | inferred |", " | documented |"].contains {
                    line.contains($0)
                }
            }
                == MessageShape.all.count)
    }
}
