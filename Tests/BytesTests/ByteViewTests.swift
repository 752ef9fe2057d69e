import Bytes
import Testing

@Suite("Checked reading of bytes")
struct ByteViewTests {
    private static let bytes: [UInt8] = (0..<40).map { UInt8($0) }

    @Test("an index outside of the bytes ends the process", arguments: [-1, 40, .min, .max])
    func wrongIndexEndsTheProcess(index: Int) async {
        await #expect(processExitsWith: .failure) { [index] in
            Self.bytes.withUnsafeBytes { _ = ByteView($0)[index] }
        }
    }

    @Test("a range that leaves the bytes ends the process", arguments: [-1, 41])
    func wrongRangeEndsTheProcess(bound: Int) async {
        await #expect(processExitsWith: .failure) { [bound] in
            Self.bytes.withUnsafeBytes { _ = ByteView($0).slice(min(bound, 0)..<max(bound, 0)) }
        }
    }

    @Test("numbers and words at the end of the bytes end the process if one byte is missing")
    func numbersNeedAllTheirBytes() async {
        Self.bytes.withUnsafeBytes {
            #expect(ByteView($0).number16(at: 38) == 38 << 8 | 39)
            #expect(ByteView($0).word(at: 32) == 0x2726_2524_2322_2120)
        }
        await #expect(processExitsWith: .failure) { Self.bytes.withUnsafeBytes { _ = ByteView($0).number16(at: 39) } }
        await #expect(processExitsWith: .failure) { Self.bytes.withUnsafeBytes { _ = ByteView($0).word(at: 33) } }
    }

    @Test("slices contain the bytes of their range, in empty buffers too")
    func slicesContainTheirRange() {
        Self.bytes.withUnsafeBytes {
            let view = ByteView($0)
            #expect(view.slice(3..<7).elementsEqual(3..<7))
            #expect(view.slice(upTo: 2).elementsEqual(0..<2))
            #expect(view.dropFirst(30).slice(from: 8).elementsEqual(38..<40))
        }
        let none = ByteView(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(none.count == 0 && none.slice(upTo: 0).isEmpty && none.slice(from: 0).isEmpty)
    }

    @Test("the first matching byte is found at each place, and never outside of the range")
    func firstMatchIsFoundAtEachPlace() {
        Self.bytes.withUnsafeBytes {
            let view = ByteView($0)
            for start in 0...40 {
                for end in start...40 {
                    for wanted in UInt8(0)..<41 {
                        let found = view.first(wanted, from: start, to: end)
                        let expected = (start..<end).contains(Int(wanted)) ? Int(wanted) : end
                        if found != expected { Issue.record("\(wanted) in \(start)..<\(end): \(found)") }
                    }
                }
            }
        }
    }
}
