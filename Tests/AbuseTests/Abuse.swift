import Testing

/// Attacks on a real gate over real sockets. They run one at a time, so that attacks do not disturb each other.
///
/// Each case is a suite in an extension of this one. `make abuse` runs all of them, and must take less than two
/// minutes.
@Suite("abuse", .serialized, .timeLimit(.minutes(2)))
enum Abuse {}
