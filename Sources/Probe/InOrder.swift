/// Works on several at a time, and hands the results over in the order of the items, each as soon as all before it are
/// there.
///
/// - Parameters:
///   - jobs: so many at a time, at least one.
///   - done: hears of each item that is finished, in whatever order.
///   - take: gets an item's place and result.
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
