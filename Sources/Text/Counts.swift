extension Int {
    /// `1 load`, `2 loads`.
    public var loads: String { self == 1 ? "1 load" : "\(self) loads" }
}
