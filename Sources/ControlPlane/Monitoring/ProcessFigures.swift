import Foundation

/// The standard process metrics, named as in Prometheus' own client libraries.
///
/// Source: Prometheus, Writing client libraries, section Process metrics.
struct ProcessFigures: Sendable {
    /// In seconds since 1970-01-01 UTC.
    private let began = Date().timeIntervalSince1970

    func add(to metrics: inout Metrics) {
        var spent = timespec()
        if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) == 0 {
            metrics.add(
                .counter, "process_cpu_seconds_total", "CPU time of the process.",
                Double(spent.tv_sec) + Double(spent.tv_nsec) / 1e9)
        }
        metrics.add(.gauge, "process_start_time_seconds", "Start of the process, since 1970-01-01 UTC.", began)
        if let open = try? FileManager.default.contentsOfDirectory(atPath: Self.descriptors).count {
            metrics.add(.gauge, "process_open_fds", "Open file descriptors.", open)
        }
        if let limit = Self.descriptorLimit {
            metrics.add(.gauge, "process_max_fds", "Limit of open file descriptors.", limit)
        }
        guard let memory = Self.memory else { return }
        metrics.add(.gauge, "process_virtual_memory_bytes", "Virtual memory of the process.", memory.virtual)
        metrics.add(.gauge, "process_resident_memory_bytes", "Resident memory of the process.", memory.resident)
    }

    private static var descriptorLimit: Int? {
        var limit = rlimit()
        #if os(Linux)
        let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let status = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return status == 0 ? Int(clamping: limit.rlim_cur) : nil
    }

    #if os(Linux)
    private static let descriptors = "/proc/self/fd"

    /// Source: proc(5), /proc/pid/statm: pages, all and resident ones.
    private static var memory: (virtual: Int, resident: Int)? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let pages = text.split(separator: " ").prefix(2).compactMap { Int($0) }
        guard pages.count == 2 else { return nil }
        let pageBytes = sysconf(Int32(_SC_PAGESIZE))
        return (pages[0] * pageBytes, pages[1] * pageBytes)
    }
    #else
    private static let descriptors = "/dev/fd"

    /// Unknown: it would need Mach calls.
    private static var memory: (virtual: Int, resident: Int)? { nil }
    #endif
}
