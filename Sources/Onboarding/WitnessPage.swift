internal import Text

/// The page that has a device load a list of addresses, each as a page in a frame, as a picture and by `fetch`, which are
/// loads of different kinds to a browser: one tap, and a gate in witness mode has seen what the device makes of every one.
struct WitnessPage {
    /// Absolute URLs.
    let urls: [String]

    var text: String {
        DevicePage(
            title: "atsgate: let a device judge", script: "/witness.js", heading: "Let this device judge", body: body
        ).text
    }

    private var body: String {
        """
        \(urls.isEmpty ? Self.nothing : list)<footer><p>The page shows what the browser says. What the device did is in the
        gate's record, and the gate prints it when it ends. Nothing is enforced by a gate in witness mode.</p></footer>

        """
    }

    private var list: String {
        """
        <p>Each address is loaded three times, as a page in a frame, as a picture and by <code>fetch</code>: that is web
        content, which a gate judges as such with <code>--assume web</code>. For an app's own loads, open the same addresses
        in the app.</p>
        <p><button id="load" class="button" type="button">Load \(urls.count == 1 ? "it" : "all \(urls.count)")</button>
        <span id="told" role="status"></span></p>
        <ol class="files" id="urls">
        \(urls.map { "<li data-url=\"\(XMLText.escaped($0))\">\(XMLText.escaped($0)) <small></small></li>\n" }.joined())</ol>

        """
    }

    private static let nothing = """
        <p>In witness mode the hosts of <code>--connect-to</code> are listed here. There are none, or the gate is in another
        mode. With the lab:</p>
        <pre><code>atsgate lab --all --write-config lab.conf
        atsgate proxy --config lab.conf --mode witness --assume web</code></pre>

        """

    /// Nothing inline; what is loaded is from everywhere, and is only looked at by how it fares.
    static let contentPolicy =
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src http: https:; img-src http: https:; "
        + "frame-src http: https:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
