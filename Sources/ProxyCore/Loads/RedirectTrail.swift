import ATSPolicy
import Bytes
import HTTPWire
import Records
import Synchronization
import Text

/// The redirects of the last seconds, to find the load that sent a client to another one. Shared by all loops, because
/// a client follows a redirect to another origin on another connection.
///
/// Holds at most 64 steps and 256 KiB. If no redirect is recent, a lookup costs one atomic read.
public final class RedirectTrail: Sendable {
    private struct Step {
        let client: String
        let place: LoadAddress
        /// URL of the load that was redirected.
        let source: String
        let ticks: Int64

        var bytes: Int {
            client.utf8.count + place.target.host.utf8.count + place.path.utf8.count + source.utf8.count + 128
        }
    }

    private let steps = Mutex<[Step]>([])
    private let budget = ByteBudget(.redirects, limit: 256 << 10)
    /// The ticks until which the latest step may be followed.
    private let freshUntil = Atomic<Int64>(.min)

    public init() {}

    /// Notes that a client was redirected from `source` to `place`.
    func note(_ place: LoadAddress, from source: String, client: String, ticks: Int64) {
        steps.withLock { steps in
            while let oldest = steps.first, ticks - oldest.ticks > Self.lifetime { drop(0, of: &steps) }
            let step = Step(client: client, place: place, source: source, ticks: ticks)
            while !steps.isEmpty, steps.count >= Self.limit || !budget.hasRoom(for: step.bytes) { drop(0, of: &steps) }
            guard budget.hasRoom(for: step.bytes) else { return }
            budget.add(step.bytes)
            steps.append(step)
        }
        freshUntil.store(ticks + Self.lifetime, ordering: .relaxed)
    }

    /// Notes the redirect in a response, if any. Source: RFC 9110 sections 10.2.2, 15.4.
    func note(_ head: ResponseHead, of load: Load, in context: SessionContext) {
        guard 300..<400 ~= head.status, head.status != 304, let location = head.fields.value(of: .location) else {
            return
        }
        let here = LoadAddress(target: load.target, path: load.pathText)
        guard let there = LoadAddress(location: location, from: here) else { return }
        note(there, from: here.target.origin + here.path, client: context.place.host, ticks: context.now.ticks)
    }

    /// True if a redirect was seen recently.
    func isFresh(at ticks: Int64) -> Bool { freshUntil.load(ordering: .relaxed) >= ticks }

    /// Returns the load that redirected this client to the target. Each step is followed once.
    ///
    /// - Parameter path: nil if only the target is known.
    func source(of target: LoadTarget, path: String?, client: String, ticks: Int64) -> String? {
        steps.withLock { steps in
            let index = steps.lastIndex { step in
                ticks - step.ticks <= Self.lifetime && step.place.target == target
                    && (path == nil || step.place.path == path) && step.client == client
            }
            return index.map { drop($0, of: &steps).source }
        }
    }

    @discardableResult
    private func drop(_ place: Int, of steps: inout [Step]) -> Step {
        let step = steps.remove(at: place)
        budget.add(-step.bytes)
        return step
    }

    private static let limit = 64
    /// The time in which clients follow a redirect, in microseconds.
    private static let lifetime: Int64 = 10_000_000
}

/// The parts of a URL that identify a load: an origin, and the path with its query.
struct LoadAddress: Hashable {
    let target: LoadTarget
    let path: String
}

extension LoadAddress {
    /// Resolves a Location field against a load's own URL; nil if the result is not an http or https URL. Source: RFC
    /// 9110 section 10.2.2, RFC 3986 section 5.2.
    ///
    /// - Parameter text: untrusted text from the network. A fragment is ignored.
    init?(location text: String, from base: LoadAddress) {
        let reference = text.prefix { $0 != "#" }
        guard reference.utf8.count <= Self.longestBytes else { return nil }
        if reference.hasPrefix("//") {
            self.init(authorityAndPath: reference.dropFirst(2), scheme: base.target.scheme)
        } else if let colon = Self.endOfScheme(reference) {
            guard let scheme = LoadTarget.Scheme(rawValue: reference[..<colon].lowercased()) else { return nil }
            let rest = reference[colon...].dropFirst()
            guard rest.hasPrefix("//") else { return nil }
            self.init(authorityAndPath: rest.dropFirst(2), scheme: scheme)
        } else {
            self.init(target: base.target, path: Self.path(reference, from: base.path))
        }
    }

    private init?(authorityAndPath text: Substring, scheme: LoadTarget.Scheme) {
        let end = text.firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        let authority = text[..<end].lastIndex(of: "@").map { text[..<end][$0...].dropFirst() } ?? text[..<end]
        let rest = text[end...]
        let path = rest.hasPrefix("/") ? String(rest) : "/" + rest
        guard let place = try? Authority(authority) else { return nil }
        self.init(
            target: LoadTarget(scheme: scheme, host: place.host, port: place.port ?? scheme.defaultPort),
            path: Self.withoutDots(path))
    }

    /// The colon after a scheme. Source: RFC 3986 section 3.1.
    private static func endOfScheme(_ text: Substring) -> Substring.Index? {
        guard let end = text.firstIndex(where: { ":/?".contains($0) }), text[end] == ":" else { return nil }
        return end
    }

    private static func path(_ reference: Substring, from base: String) -> String {
        if reference.hasPrefix("/") { return withoutDots(String(reference)) }
        let plain = base.prefix { $0 != "?" }
        if reference.isEmpty { return base }
        if reference.hasPrefix("?") { return String(plain + reference) }
        let folder = plain.lastIndex(of: "/").map { plain[...$0] } ?? "/"
        return withoutDots(String(folder + reference))
    }

    /// Resolves `.` and `..`. Source: RFC 3986 section 5.2.4.
    private static func withoutDots(_ path: String) -> String {
        let end = path.firstIndex(of: "?") ?? path.endIndex
        guard path[..<end].contains("/.") else { return path }
        var kept: [Substring] = []
        let segments = path[..<end].split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/") + path[end...]
    }

    private static let longestBytes = 8_192
}
