import Testing
import Text

@Suite("a keyed hash")
struct KeyedHashTests {
    @Test(
        "is SipHash-2-4: the vectors of its authors' reference, with bytes 0, 1, 2 and so on",
        arguments: [(0, 0x726F_DB47_DD0E_0E31), (1, 0x74F8_39C5_93DC_67FD), (15, 0xA129_CA61_49BE_45E5)]
            as [(Int, UInt64)])
    func vectors(count: Int, digest: UInt64) {
        let hash = KeyedHash(0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
        #expect(hash.digest((0..<count).map { UInt8($0) }) == digest)
    }

    @Test func itsKeyReadsBack() {
        let hash = KeyedHash(1, .max)
        #expect(KeyedHash(text: hash.text) == hash)
        #expect(KeyedHash(text: "12") == nil)
    }
}
