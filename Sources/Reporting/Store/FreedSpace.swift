/// What became of the space on the disk that deleted loads had.
public enum FreedSpace: Sendable {
    /// The disk has it back, or there was none.
    case returned
    /// The file is as large as before, for now: another gate is at work, or the disk has no room to write it anew.
    case kept
    /// The server keeps it, for other loads.
    case reused
}
