public import Text

extension Baseline.Entry {
    /// Number of words in an entry about loads: host and rule.
    public static let wordsOfLoads = 2

    /// The entry for the loads of a host that one rule decided.
    ///
    /// - Parameters:
    ///   - host: as recorded, in any spelling.
    ///   - rule: nil if no rule is known.
    public init(host: String, rule: String?) {
        self.init([HostGrammar.normalized(host), rule ?? "-"])
    }

    /// Reads an entry as a file contains it.
    ///
    /// - Throws: ``WrittenHostFault`` for a pattern, or any other text that is not a host.
    public init(written words: [String]) throws(WrittenHostFault) {
        let host = try WrittenHost(words[0])
        guard !host.isPattern else { throw .isPattern(words[0]) }
        self.init(host: host.spelling, rule: words[1])
    }
}
