import Onboarding
import Testing

@Suite("QR code")
struct QRCodeTests {
    /// Source: ISO/IEC 18004, 6.3.3: a finder pattern of 7 by 7 modules in three corners.
    @Test("a code has three finder patterns, and a quiet zone in the terminal")
    func corners() throws {
        let code = try #require(QRCode("http://192.168.1.20:9802/"))
        #expect(code.width == 25)
        for (column, row) in [(0, 0), (code.width - 7, 0), (0, code.width - 7)] {
            for step in 0..<7 {
                #expect(code.isDark(column + step, row))
                #expect(code.isDark(column + step, row + 6))
                #expect(code.isDark(column, row + step))
            }
            #expect(!code.isDark(column + 1, row + 1))
            #expect(code.isDark(column + 3, row + 3))
        }
        let lines = code.terminalText.split(separator: "\n")
        #expect(lines.count == 17)
        let blank = "\u{1B}[30;107m" + String(repeating: " ", count: 33) + "\u{1B}[0m"
        #expect(lines[0] == blank)
        #expect(lines[1] == blank)
        #expect(lines[2].hasPrefix("\u{1B}[30;107m    █▀▀▀▀▀█ "))
    }

    @Test("empty text, and text longer than a code can hold, give no code")
    func limits() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "x", count: 5_000)) == nil)
        #expect(QRCode("a") != QRCode("b"))
    }
}
