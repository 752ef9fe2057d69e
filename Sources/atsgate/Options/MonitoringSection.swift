import ControlPlane
import Text

/// What watches the gate by machine.
enum MonitoringSection: OptionSection {
    static let title = "Monitoring"

    static let options: [GateOption] = [
        GateOption(
            "metrics", .parsed("host:port", WebAddress.init(argument:)), maySet: \.metrics,
            "Serve /healthz, /readyz and /metrics here, without a token."
        )
        .details(
            """
            Numbers are in Prometheus' text format and name no host, address or recording. Port 0 lets the system \
            choose one, which is the last line of --port-file.
            """
        )
        .standard("off").example("127.0.0.1:9804")
    ]
}
