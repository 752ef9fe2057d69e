/// A line diff of two short texts in the format of `diff -u`, with all unchanged lines as context.
struct LineDiff {
    private let old: [Substring]
    private let new: [Substring]

    init(old: String, new: String) {
        self.old = Self.lines(old)
        self.new = Self.lines(new)
    }

    /// Empty if both texts are equal.
    func unified(oldName: String, newName: String) -> String {
        guard old != new else { return "" }
        let head = ["--- \(oldName)", "+++ \(newName)", "@@ -1,\(old.count) +1,\(new.count) @@"]
        return (head + body).map { $0 + "\n" }.joined()
    }

    /// The diff by the longest common subsequence. Texts that are too long for that have no common lines.
    private var body: [String] {
        guard old.count * new.count <= Self.mostPairs else {
            return old.map { "-" + $0 } + new.map { "+" + $0 }
        }
        let lengths = common
        var lines: [String] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if left < old.count, right < new.count, old[left] == new[right] {
                lines.append(" " + old[left])
                (left, right) = (left + 1, right + 1)
            } else if left < old.count, right == new.count || lengths[left + 1][right] >= lengths[left][right + 1] {
                lines.append("-" + old[left])
                left += 1
            } else {
                lines.append("+" + new[right])
                right += 1
            }
        }
        return lines
    }

    /// Length of the longest common subsequence of the texts from each pair of lines on.
    private var common: [[Int]] {
        var lengths = Array(repeating: Array(repeating: 0, count: new.count + 1), count: old.count + 1)
        for left in old.indices.reversed() {
            for right in new.indices.reversed() {
                lengths[left][right] =
                    old[left] == new[right]
                    ? lengths[left + 1][right + 1] + 1 : max(lengths[left + 1][right], lengths[left][right + 1])
            }
        }
        return lengths
    }

    /// Limit for the number of line pairs, each of which takes eight bytes.
    private static let mostPairs = 25_000_000

    private static func lines(_ text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
