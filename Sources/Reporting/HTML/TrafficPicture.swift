import Records

/// Loads over time: a row for each host, with a bar where loads began, in the colour of the verdict.
struct TrafficPicture {
    /// The number of hosts left out.
    private(set) var left = 0
    private let groups: [ReportRow]
    private let hosts: [ReportTally]
    private let first: Int64
    private let slice: Int64
    private let slices: Int

    /// - Returns: nil if there are no loads.
    init?(_ report: ReportModel) {
        guard let first = report.header.firstTime, let last = report.header.lastTime else { return nil }
        let all = report.hosts
        hosts = Array(all.prefix(mostHosts))
        left = all.count - hosts.count
        groups = report.groups
        self.first = first
        // As many slices as fit; a very short recording has one.
        slice = max(1, (last - first) / Int64(mostSlices) + 1)
        slices = Int((last - first) / slice) + 1
    }

    var svg: String {
        let names = hosts.map { $0.name.clipped(to: 253).lines(of: mostCharacters) }
        let bottom = names.reduce(16) { $0 + Self.height(of: $1) }
        var picture = SVGPicture(width: width, height: bottom + 6, label: label)
        var byHost: [String: [ReportRow]] = [:]
        for group in groups { byHost[group.host, default: []].append(group) }
        var y = 0
        for (host, lines) in zip(hosts, names) {
            for (place, line) in lines.enumerated() { picture.text(line, at: 0, y + 13 + place * lineHeight) }
            y += Self.height(of: lines)
            picture.line(chartLeft, y, width, y, class: "rail")
            draw(byHost[host.name] ?? [], host: host.name, bottom: y, in: &picture)
        }
        picture.text(Self.time(first), at: chartLeft, bottom)
        picture.text(Self.time(first + slice * Int64(slices)) + " UTC", at: width, bottom, .end)
        return picture.svg
    }

    private static func time(_ milliseconds: Int64) -> String {
        String(RecordTime.text(milliseconds: milliseconds).prefix(19)).replacing("T", with: " ")
    }

    /// The height of a host's row.
    private static func height(of lines: [String]) -> Int { rowHeight + (lines.count - 1) * lineHeight }

    private func draw(_ groups: [ReportRow], host: String, bottom: Int, in picture: inout SVGPicture) {
        // Allowed loads first, so that problems are drawn on top.
        for verdict in ReportModel.verdicts.reversed() {
            var counts: [Int: Int] = [:]
            for group in groups where group.key.verdict == verdict {
                for (place, loads) in group.span.counts {
                    counts[column(of: place * group.span.slice), default: 0] += loads
                }
            }
            guard !counts.isEmpty else { continue }
            let all = counts.values.reduce(0, +)
            let data = counts.sorted { $0.key < $1.key }.map {
                bar(column: $0.key, loads: $0.value, bottom: bottom)
            }
            picture.path(
                data.joined(), class: verdict.rawValue,
                title: "\(host.clipped(to: 100)): \(all) \(verdict.words)")
        }
    }

    private func column(of time: Int64) -> Int { min(max(Int((time - first) / slice), 0), slices - 1) }

    /// A bar whose height is the logarithm of the number, so that one load is visible next to a thousand.
    private func bar(column: Int, loads: Int, bottom: Int) -> String {
        let height = min(rowHeight - 2, 6 + (Int.bitWidth - loads.leadingZeroBitCount))
        let left = chartLeft + column * (width - chartLeft) / slices
        let right = chartLeft + (column + 1) * (width - chartLeft) / slices
        return "M\(left) \(bottom)v-\(height)h\(max(right - left - 1, 2))v\(height)z"
    }

    private var label: String {
        "Loads over time for \(hosts.count) \(hosts.count == 1 ? "host" : "hosts"). The Hosts table has the numbers."
    }
}

private let width = 720
private let chartLeft = 200
private let rowHeight = 20
private let lineHeight = 13
/// The most characters of a name in a line, by the space before the chart.
private let mostCharacters = 32
private let mostHosts = 40
private let mostSlices = 96
