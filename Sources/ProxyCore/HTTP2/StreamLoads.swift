/// The loads whose stream an HTTP/2 client still has open.
final class StreamLoads {
    // Unchecked: loads are added and taken by their place, which calls nothing.
    @exclusivity(unchecked) private(set) var all: [StreamLoad] = []

    var isEmpty: Bool { all.isEmpty }

    func add(_ load: StreamLoad) {
        load.index = all.count
        all.append(load)
    }

    /// The loads; none is left. Each of them knows, by its links, this list: what stayed in it would never be freed.
    func takeAll() -> [StreamLoad] {
        defer { all = [] }
        return all
    }

    /// The last load takes the place of the one that goes, so that no number of loads makes this slow.
    func remove(_ load: StreamLoad) {
        guard load.index < all.count, all[load.index] === load else { return }
        let last = all.removeLast()
        if last !== load {
            last.index = load.index
            all[last.index] = last
        }
    }
}
