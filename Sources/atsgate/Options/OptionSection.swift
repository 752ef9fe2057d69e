/// Options that belong together, under the title that help and the sample file show them with.
protocol OptionSection: Sendable {
    static var title: String { get }
    static var options: [GateOption] { get }
}
