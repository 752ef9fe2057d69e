import GRDB
import Records
import Reporting
import Samples
import TestSupport
import Testing

@Suite("Reports of a file, read in pieces")
struct ReportStreamTests {
    @Test(
        "no format with a row for each load remembers shared rows after rows were deleted: their numbers may be reused",
        arguments: [ReportFormat.jsonl, .csvLoads, .har])
    func reusedNumbersInBulk(_ format: ReportFormat) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let sink = try StoreSink(path: path)
            try sink.write((0..<2000).map { SampleLoads.filed(SampleLoads.forwardSecrecy($0)) })
            try sink.close()
            let stream = try ReportStream(
                StoreReader(path: path), as: format, of: RecordFilter(recording: "nightly"), ReportContext())
            let first = try #require(try stream.next())
            try DatabaseQueue(path: path).write { db in
                try db.execute(
                    sql: """
                        UPDATE shared SET text = replace(text, 'rsa-kx.lab', 'reused.lab');
                        PRAGMA user_version = 77;
                        """)
            }
            let rest = String(decoding: try Self.pieces(of: stream).flatMap(\.self), as: UTF8.self)
            #expect(String(decoding: first, as: UTF8.self).contains("rsa-kx.lab.test/"))
            #expect(rest.contains("reused.lab.test/") && !rest.contains("rsa-kx.lab.test/"))
            #expect(format != .csvLoads || rest.contains(",reused.lab.test,") && !rest.contains(",rsa-kx.lab.test,"))
        }
    }

    private static func pieces(of stream: ReportStream) throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        while let piece = try stream.next() { pieces.append(piece) }
        return pieces
    }
}
