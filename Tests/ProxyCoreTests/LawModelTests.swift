import ATSPolicy
import Foundation
import ProxyCore
import Records
import TLSEngine
import Testing

/// What the four laws say of two hosts and three loaders, in a few lines: what the gate is held against.
enum ModelLaw: CaseIterable {
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

@Suite("a law has an age, whatever happens in whatever order")
struct LawModelTests {
    private static func number(_ name: String, or usual: UInt64) -> UInt64 {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } ?? usual
    }

    /// More with `ATSGATE_LAW_SEQUENCES=100000`, others with `ATSGATE_LAW_SEED=7`.
    @Test("nothing is allowed that the law at its use refuses, and nothing refused that it permits")
    func model() throws {
        let first = Self.number("ATSGATE_LAW_SEED", or: 1)
        let count = Self.number("ATSGATE_LAW_SEQUENCES", or: 750)
        var tally: [Verdict: Int] = [:]
        var wrong: [String] = []
        for seed in first..<first + count where wrong.count < 3 {
            let run = try LawRun(seed: seed)
            try run.play()
            if let complaint = run.complaint {
                wrong.append("seed \(seed): \(complaint)\n" + run.story.joined(separator: "\n"))
            }
            tally.merge(run.tally, uniquingKeysWith: +)
        }
        print("law model: seeds \(first) to \(first + count - 1), \(tally)")
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n\n"))")
        // A model that never sees one of them proves nothing.
        for verdict in [Verdict.allowed, .blocked, .wouldBlock] { #expect(tally[verdict, default: 0] > count / 4) }
    }
}
