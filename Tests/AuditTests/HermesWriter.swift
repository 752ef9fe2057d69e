/// Writes the parts of a Hermes bytecode file that contain strings. Source: GitHub, facebook/hermes,
/// include/hermes/BCGen/HBC/BytecodeFileFormat.h.
enum HermesWriter {
    /// - Parameters:
    ///   - functionBytes: size of a function's header, 16 or 12.
    ///   - functions: number of functions, without code.
    static func file(_ strings: [String], functions: Int = 3, functionBytes: Int = 16) -> [UInt8] {
        var small: [UInt8] = []
        var large: [UInt8] = []
        var storage: [UInt8] = []
        for text in strings {
            let isWide = !text.utf8.allSatisfy { $0 < 0x80 }
            let bytes = isWide ? text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } : Array(text.utf8)
            let length = isWide ? text.utf16.count : bytes.count
            if length < 0xFF {
                small += word(UInt32(isWide ? 1 : 0) | UInt32(storage.count) << 1 | UInt32(length) << 24)
            } else {
                small += word(UInt32(isWide ? 1 : 0) | UInt32(large.count / 8) << 1 | 0xFF << 24)
                large += word(UInt32(storage.count)) + word(UInt32(length))
            }
            storage += bytes
        }
        var file = word(0x03BC_1FC6) + word(0x1F19_03C1) + word(96) + [UInt8](repeating: 0, count: 20)
        let length = 128 + functions * functionBytes + 4 + small.count + large.count + storage.count
        file += [length, 0, functions, 1, 0, strings.count, large.count / 8, storage.count].flatMap { word(UInt32($0)) }
        file += [UInt8](repeating: 0, count: 128 - file.count)
        return file + [UInt8](repeating: 7, count: functions * functionBytes) + word(0) + small + large + storage
    }

    private static func word(_ number: UInt32) -> [UInt8] { [0, 8, 16, 24].map { UInt8(number >> $0 & 0xFF) } }
}
