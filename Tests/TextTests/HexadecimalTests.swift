import Testing
import Text

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("a number has all digits of its type, and bytes have two each")
    func widths() {
        #expect(UInt8(10).hexadecimal == "0a")
        #expect(UInt16(0x0A).hexadecimal == "000a")
        #expect(UInt64.max.hexadecimal == String(repeating: "f", count: 16))
        #expect([0x00, 0x7F, 0xC0].hexadecimal == "007fc0")
        #expect([UInt8]().hexadecimal.isEmpty)
    }

    @Test("every byte is read back by the value of its digits")
    func everyByte() {
        for byte in UInt8.min ... .max {
            let digits = Array(byte.hexadecimal.utf8)
            #expect(digits.compactMap(\.hexadecimalDigit) == [byte >> 4, byte & 15])
        }
    }
}
