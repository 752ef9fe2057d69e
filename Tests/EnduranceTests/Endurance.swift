import Testing

/// The tests run one at a time, so that their loads do not disturb each other.
@Suite("endurance", .serialized, .timeLimit(.minutes(5)))
enum Endurance {}
