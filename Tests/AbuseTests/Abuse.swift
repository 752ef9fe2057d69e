import Testing

/// Real sockets, a real gate, and somebody who means harm. One at a time, so that one attack is not another's trouble.
///
/// A case is a suite in an extension of this one. `make abuse` runs them all and has to take less than two minutes.
@Suite("abuse", .serialized, .timeLimit(.minutes(2)))
enum Abuse {}
