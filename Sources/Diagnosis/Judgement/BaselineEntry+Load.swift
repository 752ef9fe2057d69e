public import Text

extension Baseline.Entry {
    /// How many words an entry about loads has: host and rule.
    public static let wordsOfLoads = 2

    /// What is known of the loads of a host that one rule decided over.
    ///
    /// - Parameters:
    ///   - host: as recorded; its spelling makes no difference.
    ///   - rule: nil where none is told.
    public init(host: String, rule: String?) {
        self.init([HostGrammar.normalized(host), rule ?? "-"])
    }

    /// The same as it stands in a file.
    ///
    /// - Throws: ``WrittenHostFault`` for what is no host; a pattern is none.
    public init(written words: [String]) throws(WrittenHostFault) {
        let host = try WrittenHost(words[0])
        guard !host.isPattern else { throw .isPattern(words[0]) }
        self.init(host: host.spelling, rule: words[1])
    }
}
