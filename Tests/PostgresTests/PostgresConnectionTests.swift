import Postgres
import PostgresServer
import Testing

@Suite("A connection to a real server")
struct PostgresConnectionTests {
    @Test("every kind of value survives a round trip")
    func valuesComeBack() throws {
        let connection = try PostgresServer.shared().connect()
        let uuid = PostgresUUID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        let rows = try connection.query(
            """
            SELECT $1 = -7, $1, $2, $3, $4, $5, $6, $7, $8[2], $9[1], $10[3], $11::text, $12[1], $10
            """,
            [
                .int4(-7), .int8(.min), .text("Grüße\u{1}"), .bytes([0, 255]), .uuid(uuid),
                .time(milliseconds: 1_700_000_000_123), .time(milliseconds: -1), .texts(["a", nil]), .uuids([uuid]),
                .int8s([1, 2, 3]), .null, .times(milliseconds: [-1]),
            ])
        #expect(rows.count == 1)
        let row = rows[0]
        #expect(try row.bool(0))
        #expect(try row.int(1) == -7)
        #expect(try row.int(2) == .min)
        #expect(try row.text(3) == "Grüße\u{1}")
        #expect(try row.array(4) == [0, 255])
        #expect(try row.uuid(5) == uuid)
        #expect(try row.milliseconds(6) == 1_700_000_000_123)
        #expect(try row.milliseconds(7) == -1)
        #expect(try row.isNull(8))
        #expect(try row.orNil(8, row.text) == nil)
        #expect(try row.uuid(9) == uuid)
        #expect(try row.int(10) == 3)
        #expect(try row.isNull(11))
        #expect(try row.milliseconds(12) == -1)
        #expect(try row.microseconds(12) == -1000)
        #expect(try row.int8s(13) == [1, 2, 3])
    }
}
