import GRDB
import Records
import Reporting
import Testing

@Suite("Reports that are taken piece by piece")
struct ReportStreamTests {
    @Test(
        "the pieces are small, and together they are the report",
        arguments: [ReportFormat.jsonl, .har, .csvLoads, .text])
    func piecesInBulk(format: ReportFormat) throws {
        try withStore(loads: 2000) { path, _ in
            let reader = try StoreReader(path: path)
            let filter = RecordFilter(recording: "nightly")
            var whole: [UInt8] = []
            try reader.report(as: format, of: filter) { whole += $0 }
            let stream = try ReportStream(reader, as: format, of: filter, ReportContext())
            let pieces = try Self.pieces(of: stream)
            #expect(pieces.flatMap(\.self) == whole)
            #expect(pieces.allSatisfy { $0.count < 80_000 })
            #expect((pieces.count > 2) == (format != .text))
            #expect(stream.isOver)
        }
    }

    @Test("what is filed while it is taken is no part of it")
    func laterInBulk() throws {
        try withStore(loads: 2000) { path, sink in
            let stream = try ReportStream(
                StoreReader(path: path), as: .jsonl, of: RecordFilter(recording: "nightly"), ReportContext())
            let first = try #require(try stream.next())
            try sink.write([SampleLoads.filed(SampleLoads.plain(), id: "late")])
            let lines = (try [first] + Self.pieces(of: stream)).flatMap(\.self).split(separator: UInt8(ascii: "\n"))
            #expect(lines.count == 2000)
        }
    }

    @Test("what a form is told by is forgotten when rows are taken out: their numbers may stand for others now")
    func reusedNumbersInBulk() throws {
        try withStore(loads: 2000) { path, _ in
            let stream = try ReportStream(
                StoreReader(path: path), as: .jsonl, of: RecordFilter(recording: "nightly"), ReportContext())
            let first = try #require(try stream.next())
            try DatabaseQueue(path: path).write { db in
                try db.execute(
                    sql: """
                        UPDATE form SET text = replace(text, 'rsa-kx.lab', 'reused.lab');
                        PRAGMA user_version = 77;
                        """)
            }
            let rest = String(decoding: try Self.pieces(of: stream).flatMap(\.self), as: UTF8.self)
            #expect(String(decoding: first, as: UTF8.self).contains(#""host":"rsa-kx.lab.test""#))
            #expect(rest.contains(#""host":"reused.lab.test""#) && !rest.contains(#""host":"rsa-kx.lab.test""#))
        }
    }

    private static func pieces(of stream: ReportStream) throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        while let piece = try stream.next() { pieces.append(piece) }
        return pieces
    }

    private func withStore(loads: Int, _ body: (String, StoreSink) throws -> Void) throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            try sink.write((0..<loads).map { SampleLoads.filed(SampleLoads.forwardSecrecy($0), id: "load \($0)") })
            try sink.write([SampleLoads.filed(SampleLoads.plain(recording: "other"))])
            try body(folder + "/store.db", sink)
            try sink.close()
        }
    }
}
