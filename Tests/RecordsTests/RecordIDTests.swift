import Records
import Testing

@Suite("Record ids")
struct RecordIDTests {
    @Test("ids sort as text in the order they were made, even if the clock goes back")
    func sorted() {
        var maker = RecordIDMaker(maker: 7)
        let times: [Int64] = [5, 5, 5, 6, 3, 3, 1_770_091_506_789, 0, -4, 1_770_091_506_790]
        let ids = times.map { maker.next(time: $0) }
        #expect(ids == ids.sorted())
        #expect(Set(ids).count == ids.count)
    }

    @Test("a hundred thousand ids of one millisecond differ and sort")
    func manyInOneMillisecond() {
        var maker = RecordIDMaker(maker: .max)
        let ids = (0..<100_000).map { _ in maker.next(time: 1_770_091_506_789) }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("gates that differ in their random part never make the same id")
    func gatesDiffer() {
        var first = RecordIDMaker(maker: 1)
        var second = RecordIDMaker(maker: 2)
        let times: [Int64] = [1, 1, 2]
        #expect(Set(times.map { first.next(time: $0) }).isDisjoint(with: times.map { second.next(time: $0) }))
    }

    @Test("an id has 26 characters; the first ten are the time, as in a ULID")
    func shape() {
        var maker = RecordIDMaker(maker: 0xFFFF_0000_0000_0001)
        // 1469918176385 is the time of the example in the ULID specification (github.com/ulid/spec): 01ARYZ6S41.
        #expect(maker.next(time: 1_469_918_176_385) == "01ARYZ6S410000000000000001")
    }
}
