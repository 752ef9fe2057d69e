/// A group of options, with its title in help and in the sample file.
protocol OptionSection: Sendable {
    static var title: String { get }
    static var options: [GateOption] { get }
}
