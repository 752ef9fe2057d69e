/// The loads that are not delivered yet, in the order of their first lines, with lookup tables.
struct LoadList {
    /// Limit of waiting loads: a log's tasks end within seconds.
    static let waitingLimit = 4096
    /// A load that has ended is delivered after this many lines without a new one about it.
    static let quietLines = 20_000
    /// A load that has not ended is delivered after this many lines: a log may be followed for days.
    static let endlessLines = 200_000
    /// Names of tasks that are remembered after they were delivered.
    private static let pastLimit = 65_536

    private var loads: [LoggedLoad] = []
    private var start = 0
    private var tasks: [TaskID: LoggedLoad] = [:]
    private var past: Set<TaskID> = []
    private var pastOrder: [TaskID] = []
    /// The last loads of all processes, newest last.
    private(set) var recent: [LoggedLoad] = []
    /// Loads that had to be delivered before their end.
    private(set) var early = 0
    /// Lines about tasks that were already delivered.
    private(set) var late = 0

    private static let recentLimit = 64

    func load(of task: TaskID) -> LoggedLoad? { tasks[task] }

    /// Counts a line about a task that was delivered before.
    ///
    /// - Returns: true if the task was delivered before.
    mutating func noteLate(_ task: TaskID) -> Bool {
        guard past.contains(task) else { return false }
        late += 1
        return true
    }

    mutating func add(_ load: LoggedLoad) {
        loads.append(load)
        if let task = load.task { tasks[task] = load }
        use(load)
    }

    /// Makes it the newest of ``recent``.
    mutating func use(_ load: LoggedLoad) {
        if recent.last === load { return }
        recent.removeAll { $0 === load || $0.isMerged }
        recent.append(load)
        if recent.count > Self.recentLimit { recent.removeFirst() }
    }

    /// True if more loads wait than the limit allows: one line of a log may contain thousands.
    var isCrowded: Bool { loads.count - start > Self.waitingLimit }

    /// The loads that can be delivered now.
    mutating func ready(at line: Int, all: Bool = false) -> [LoggedLoad] {
        var ready: [LoggedLoad] = []
        while start < loads.count {
            // A load that was merged takes the place of its earliest part.
            let load = loads[start].standing
            if !load.isMerged, !load.isHandedOut {
                let quiet = line - load.lastLine
                let isQuiet = load.isOver ? quiet > Self.quietLines : quiet > Self.endlessLines
                guard all || isQuiet || isCrowded else { break }
                if !all, !load.isOver { early += 1 }
                leave(load)
                ready.append(load)
            }
            start += 1
        }
        if start > Self.waitingLimit {
            loads.removeFirst(start)
            start = 0
        }
        return ready
    }

    private mutating func leave(_ load: LoggedLoad) {
        load.isHandedOut = true
        recent.removeAll { $0 === load }
        if load.connection?.orphan === load { load.connection?.orphan = nil }
        guard let task = load.task, tasks[task] === load else { return }
        tasks[task] = nil
        guard past.insert(task).inserted else { return }
        pastOrder.append(task)
        if pastOrder.count > Self.pastLimit {
            for old in pastOrder.prefix(Self.pastLimit / 2) { past.remove(old) }
            pastOrder.removeFirst(Self.pastLimit / 2)
        }
    }

    /// Drops loads without a prefix before nscurl output: the end of an error, or a whole error after the result of a
    /// test. Both are nscurl's own.
    mutating func dropFragments(before line: Int, behindResult result: Int?) {
        let first = line - Self.fragmentLines
        for load in loads[start...] where load.firstLine >= first && load.app == nil {
            if load.isFragment || load.firstLine > result ?? .max { load.isMerged = true }
        }
    }

    /// Most lines of an nscurl error.
    private static let fragmentLines = 256
}
