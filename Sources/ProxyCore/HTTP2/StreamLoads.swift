/// The loads of an HTTP/2 client whose streams are still open.
final class StreamLoads {
    // Unchecked: adding and removing loads by index calls no other code.
    @exclusivity(unchecked) private(set) var all: [StreamLoad] = []

    var isEmpty: Bool { all.isEmpty }

    func add(_ load: StreamLoad) {
        load.index = all.count
        all.append(load)
    }

    /// Removes and returns all loads. Each refers to this list by its links, so one left in it would never be freed.
    func takeAll() -> [StreamLoad] {
        defer { all = [] }
        return all
    }

    /// Removes a load by moving the last one to its index, in constant time.
    func remove(_ load: StreamLoad) {
        guard load.index < all.count, all[load.index] === load else { return }
        let last = all.removeLast()
        if last !== load {
            last.index = load.index
            all[last.index] = last
        }
    }
}
