/// Writes the parts of a Unity app's `global-metadata.dat` that contain string literals. Source: GitHub,
/// SamboyCoding/Cpp2IL, LibCpp2IL/Metadata/Il2CppGlobalMetadataHeader.cs.
enum UnityWriter {
    /// - Parameter version: from 35 on, the table has no lengths; from 38 on, each section has a count.
    static func file(_ literals: [String], version: UInt32) -> [UInt8] {
        let texts = literals.map { Array($0.utf8) }
        var (table, data): ([UInt8], [UInt8]) = ([], [])
        for text in texts {
            table += (version < 35 ? word(UInt32(text.count)) : []) + word(UInt32(data.count))
            data += text
        }
        let head = 256
        var file = word(0xFAB1_1BAF) + word(version)
        for (offset, size, count) in [(head, table.count, texts.count), (head + table.count, data.count, data.count)] {
            file += word(UInt32(offset)) + word(UInt32(size)) + (version < 38 ? [] : word(UInt32(count)))
        }
        return file + [UInt8](repeating: 0, count: head - file.count) + table + data
    }

    private static func word(_ number: UInt32) -> [UInt8] { [0, 8, 16, 24].map { UInt8(number >> $0 & 0xFF) } }
}
