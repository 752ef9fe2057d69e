/// The result of freeing the disk space of deleted loads.
public enum FreedSpace: Sendable {
    /// The space was returned to the disk, or there was none.
    case returned
    /// The file keeps its size for now: another gate uses it, or the disk has no room to rewrite it.
    case kept
    /// The server keeps the space for other loads.
    case reused
}
