import ControlPlane
import Diagnosis
import Onboarding
import ProxyServer
import Reporting

/// What listens next to a gate, from the options of a command: for names, for the page and for metrics.
struct SideListeners {
    /// nil where there is to be none.
    let page: LivePage?
    let metrics: MetricsListener
    private let names: NamesListener

    /// Listens. Names are answered and metrics asked for from here on, the page is served by ``serve(_:by:)``.
    ///
    /// - Parameters:
    ///   - usualPage: where the page is when nothing is said; nil for nowhere.
    ///   - settings: have the sockets that are there already, and learn what is told of names.
    ///   - told: names, to a command; nil where nothing is told to anybody yet.
    /// - Throws: ``CommandFailure`` with 64 for an address that other machines reach without `--allow-lan`, or that is
    ///   not this machine's, with 69 for one that is in use; nothing listens then.
    init(
        _ choices: GateChoices, usualPage: WebAddress?, telling settings: inout GateSettings,
        beside told: ToldNames? = nil
    ) throws {
        names = try NamesListener(choices, telling: &settings, beside: told)
        var page: LivePage?
        do {
            page = try LivePage(choices, usual: usualPage, handed: settings.handed)
            metrics = try MetricsListener(choices, handed: settings.handed)
        } catch {
            page?.stop()
            names.stop()
            throw error
        }
        self.page = page
    }

    /// What gathers the records that they tell of.
    var sinks: [any RecordSink] { (page?.sinks ?? []) + metrics.sinks(with: page) }

    /// What the page knows of devices.
    var devices: DeviceMemory { page?.devices ?? DeviceMemory() }

    /// Tells of `open` from here on.
    ///
    /// - Throws: ``CommandFailure`` with 74 when the page's address can not be told.
    func serve(_ open: OpenGate, by rules: JudgementRules = JudgementRules()) throws {
        try page?.serve(open, metrics.monitor, by: rules)
        metrics.begin(open)
    }

    /// Ends page and metrics, in a second or two.
    func stopTelling() {
        page?.stop()
        metrics.stop()
    }

    /// Ends all of them, in a second or two.
    func stop() {
        stopTelling()
        names.stop()
    }
}
