// Header compression. Sections as in h2spec's `generic` and `hpack`; the rules are those of RFC 7541.
extension ConformanceCase {
    /// `user-agent` in plain text, and the strings of RFC 7541 appendix C.6 and C.4 in Huffman code.
    private static let plainName = [10] + Array("user-agent".utf8)
    private static let plainValue = [5] + Array("probe".utf8)
    private static let packedName: [UInt8] = [0x88, 0x25, 0xA8, 0x49, 0xE9, 0x5B, 0xA9, 0x7D, 0x7F]
    private static let packedValue: [UInt8] = [0x89, 0x25, 0xA8, 0x49, 0xE9, 0x5B, 0xB8, 0xE8, 0xB4, 0xBF]

    /// Section 6.2: the first bytes of a literal, with `user-agent` (58) of the static table as its name, and with a
    /// new name.
    private static let literals: [(name: String, indexed: [UInt8], new: [UInt8])] = [
        ("a literal that is indexed", [0x7A], [0x40]), ("a literal without indexing", [0x0F, 0x2B], [0x00]),
        ("a literal that is never indexed", [0x1F, 0x2B], [0x10]),
    ]

    static let genericHPACK =
        [ConformanceCase("generic/5", "an indexed field", [Client.get(block: [0xBA])], .answer(1))]
        + literals.flatMap { literal in
            [
                ConformanceCase(
                    "generic/5", "\(literal.name), name of the table",
                    [Client.get(block: literal.indexed + plainValue)], .answer(1)),
                ConformanceCase(
                    "generic/5", "\(literal.name), name of the table, Huffman code",
                    [Client.get(block: literal.indexed + packedValue)], .answer(1)),
                ConformanceCase(
                    "generic/5", "\(literal.name), new name",
                    [Client.get(block: literal.new + plainName + plainValue)], .answer(1)),
                ConformanceCase(
                    "generic/5", "\(literal.name), new name, Huffman code",
                    [Client.get(block: literal.new + packedName + packedValue)], .answer(1)),
            ]
        } + [
            ConformanceCase(
                "generic/5", "a new size of the table", [Client.get(block: [0x3F, 0x61], isFirst: true)], .answer(1)),
            ConformanceCase(
                "generic/5", "two new sizes of the table",
                [Client.get(block: [0x3F, 0x61, 0x3F, 0xE1, 0x1F], isFirst: true)], .answer(1)),
        ]

    /// A block that cannot be decoded ends the connection (RFC 9113 section 4.3).
    static let hpack: [ConformanceCase] = [
        ("hpack/2.3.3", "an index beyond the table", [0xC6], false),
        ("hpack/2.3.3", "a literal whose name is beyond the table", [0x7F, 0x07, 0x00], false),
        ("hpack/4.2", "a new size of the table at the end of a block", [0x21], false),
        (
            "hpack/5.2", "padding of more than seven bits", [0x00] + packedName + [0x8A] + packedValue[1...] + [0xFF],
            false
        ),
        ("hpack/5.2", "padding of zeros", [0x00] + packedName + [0x81, 0x18], false),
        ("hpack/5.2", "the symbol EOS", [0x00] + packedName + [0x84, 0xFF, 0xFF, 0xFF, 0xFF], false),
        ("hpack/6.1", "index 0", [0x80], false),
        ("hpack/6.3", "a table larger than was offered", [0x3F, 0xE2, 0x1F], true),
    ].map { section, name, bytes, isFirst in
        ConformanceCase(
            section, name, [Client.get(block: bytes, isFirst: isFirst)], .connectionError([Client.compression]))
    }
}
