/// Works on several items concurrently, and delivers the results in the order of the items, each as soon as all earlier
/// ones are finished.
///
/// - Parameters:
///   - jobs: number of concurrent items, at least one.
///   - done: called for each finished item, in any order.
///   - take: receives an item's index and result.
public func workInOrder<Item: Sendable, Result: Sendable>(
    on items: [Item], jobs: Int, _ work: @escaping @Sendable (Item) async -> Result, done: (Item) -> Void = { _ in }
) async -> [Result] {
    var results: [Result] = []
    // `take` throws nothing here, so no result is lost.
    try? await workInOrder(on: items, jobs: jobs, work, done: done, take: { results.append($1) })
    return results
}

/// Works on several items concurrently, and delivers the results one by one.
public func workInOrder<Item: Sendable, Result: Sendable>(
    on items: [Item], jobs: Int, _ work: @escaping @Sendable (Item) async -> Result,
    done: (Item) -> Void = { _ in }, take: (Int, Result) throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var next = 0
        func start() {
            guard next < items.count else { return }
            let (index, item) = (next, items[next])
            group.addTask { (index, await work(item)) }
            next += 1
        }
        for _ in 0..<max(1, jobs) { start() }
        var waiting: [Int: Result] = [:]
        var wanted = 0
        while let (index, result) = try await group.next() {
            start()
            done(items[index])
            waiting[index] = result
            while let result = waiting.removeValue(forKey: wanted) {
                try take(wanted, result)
                wanted += 1
            }
        }
    }
}
