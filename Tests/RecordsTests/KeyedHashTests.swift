import Records
import Testing

@Suite("Keyed hashes")
struct KeyedHashTests {
    @Test(
        "the digest equals HMAC-SHA-256 of Python's hmac, over bytes 0, 1, 2 and so on, with a similar key",
        arguments: [(0, 0x07EF_F8B3_26B7_798C), (1, 0xEC5A_D48C_9C15_2249), (15, 0x27B7_3409_C53B_6DD4)]
            as [(Int, UInt64)])
    func vectors(count: Int, digest: UInt64) {
        let hash = KeyedHash(0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F)
        #expect(hash.digest((0..<count).map { UInt8($0) }) == digest)
    }

    @Test func keyReadsBack() {
        let hash = KeyedHash(1, .max)
        #expect(KeyedHash(text: hash.text) == hash)
        #expect(KeyedHash(text: "12") == nil)
    }
}
