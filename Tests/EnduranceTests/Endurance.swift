import Testing

/// One at a time, so that one test's load is not another test's trouble.
@Suite("endurance", .serialized, .timeLimit(.minutes(5)))
enum Endurance {}
