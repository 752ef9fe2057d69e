import ATSPolicy
import Foundation
import ProxyCore
import Records
import TLSEngine
import Testing

/// The expected rulings of four dictionaries for two hosts and three loaders, which the gate's verdicts are compared
/// with.
enum ModelRules: CaseIterable {
    case strict, freeWeb, freeMedia, pinned

    /// `good.test` is sound, `weak.test` agrees to RSA key exchange alone.
    func permits(_ loader: Loader, to host: String) -> Bool {
        switch (self, host) {
        case (.pinned, "good.test"): false
        case (_, "good.test"), (.pinned, _): true
        case (.strict, _): false
        case (.freeWeb, _): loader == .web
        case (.freeMedia, _): loader == .media
        }
    }

    var declaration: PropertyValue {
        switch self {
        case .strict: .strict
        case .freeWeb: LawAgeTests.freeWeb
        case .freeMedia: ["NSAllowsArbitraryLoadsForMedia": true]
        case .pinned: LawAgeTests.lenientButPinned
        }
    }
}

@Suite("each load is judged by the rules in force when it is used, in any order of events")
struct LawModelTests {
    private static func number(_ name: String, or usual: UInt64) -> UInt64 {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } ?? usual
    }

    /// Set `ATSGATE_LAW_SEQUENCES=100000` for more sequences and `ATSGATE_LAW_SEED=7` for others.
    @Test("a load is allowed exactly if the rules in force at its use permit it")
    func model() throws {
        let first = Self.number("ATSGATE_LAW_SEED", or: 1)
        let count = Self.number("ATSGATE_LAW_SEQUENCES", or: 750)
        var tally: [Verdict: Int] = [:]
        var wrong: [String] = []
        for seed in first..<first + count where wrong.count < 3 {
            let run = try PolicyRun(seed: seed)
            try run.play()
            if let complaint = run.complaint {
                wrong.append("seed \(seed): \(complaint)\n" + run.story.joined(separator: "\n"))
            }
            tally.merge(run.tally, uniquingKeysWith: +)
        }
        print("law model: seeds \(first) to \(first + count - 1), \(tally)")
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n\n"))")
        // Each verdict must occur often, or the model would prove nothing.
        for verdict in [Verdict.allowed, .blocked, .wouldBlock] { #expect(tally[verdict, default: 0] > count / 4) }
    }
}
