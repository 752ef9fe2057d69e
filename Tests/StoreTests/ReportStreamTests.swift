import Records
import Reporting
import Samples
import Testing

@Suite("Reports read in pieces")
struct ReportStreamTests {
    @Test("the pieces are small, and together they equal the report", arguments: StoreKind.allCases)
    func piecesInBulk(kind: StoreKind) throws {
        try kind.withStore { store in
            try store.write(Self.loads)
            let reader = try store.reader
            let filter = RecordFilter(recording: "nightly")
            for format in [ReportFormat.jsonl, .har, .csvLoads, .text] {
                var whole: [UInt8] = []
                try reader.report(as: format, of: filter) { whole += $0 }
                let stream = try ReportStream(reader, as: format, of: filter, ReportContext())
                let pieces = try Self.pieces(of: stream)
                #expect(pieces.flatMap(\.self) == whole, "\(format)")
                #expect(pieces.allSatisfy { $0.count < 80_000 }, "\(format)")
                #expect((pieces.count > 2) == (format != .text))
                #expect(stream.isOver)
            }
        }
    }

    @Test("loads filed during the reading are not part of the report", arguments: StoreKind.allCases)
    func laterInBulk(kind: StoreKind) throws {
        try kind.withStore { store in
            try store.write(Array(Self.loads.dropLast()))
            let stream = try ReportStream(
                store.reader, as: .jsonl, of: RecordFilter(recording: "nightly"), ReportContext())
            let first = try #require(try stream.next())
            try store.write(Array(Self.loads.suffix(1)))
            let lines = (try [first] + Self.pieces(of: stream)).flatMap(\.self).split(separator: UInt8(ascii: "\n"))
            #expect(lines.count == 2000)
        }
    }

    private static func pieces(of stream: ReportStream) throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        while let piece = try stream.next() { pieces.append(piece) }
        return pieces
    }

    private static let loads = SampleLoads.inOrder(
        [SampleLoads.plain(recording: "other")] + (0..<2001).map { SampleLoads.forwardSecrecy($0) })
}
