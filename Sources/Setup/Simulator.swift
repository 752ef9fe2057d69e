internal import Foundation

/// One simulator, from `simctl list devices --json`.
struct Simulator: Sendable, Hashable {
    /// Device sets next to the usual one, which Xcode creates.
    enum OtherSet: String, CaseIterable {
        /// Clones for parallel tests. Source: `xcrun simctl help`, `--set`.
        case testing
        /// Simulators of Xcode Previews, in `~/Library/Developer/Xcode/UserData/Previews/Simulator Devices`. Sources
        /// (observed): Apple developer forums, thread 807025, names the set; Proxyman issue 1568 adds a root to it.
        case previews

        /// The purpose of its simulators, in a title.
        var words: String {
            switch self {
            case .testing: "a clone for parallel tests"
            case .previews: "of Xcode Previews"
            }
        }
    }

    var udid: String
    var name: String
    var isBooted: Bool
    var set: String?
    /// The folder of its data; nil if the list does not contain it.
    var dataPath: String?

    private struct Answer: Decodable {
        struct Device: Decodable {
            var udid: String
            var name: String
            var state: String
            var dataPath: String?
        }

        var devices: [String: [Device]]
    }

    static func question(_ state: String?) -> [String] {
        ["list", "devices"] + (state.map { [$0] } ?? []) + ["--json"]
    }

    /// Sorted by runtime, then in the order of the list; nil for text that is not such a list.
    static func list(_ text: String, set: String?) -> [Simulator]? {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(text.utf8)) else { return nil }
        return answer.devices.sorted { $0.key < $1.key }.flatMap(\.value).map { device in
            Simulator(
                udid: device.udid, name: device.name, isBooted: device.state == "Booted", set: set,
                dataPath: device.dataPath)
        }
    }
}
