internal import Text

/// The page that makes a device load a list of URLs in three ways: as a page in a frame, as a picture and by `fetch`.
/// To a browser, these are different kinds of loads. After one tap, a gate in witness mode has seen the device's
/// decision on every URL.
struct WitnessPage {
    /// Absolute URLs.
    let urls: [String]

    var text: String {
        DevicePage(
            title: "atsgate: test a device", script: "/witness.js", heading: "Test this device", body: body
        ).text
    }

    private var body: String {
        """
        \(urls.isEmpty ? Self.nothing : list)<footer><p>The page shows what the browser reports. What the device did is
        in the gate's records, and the gate prints it when it ends. A gate in witness mode enforces nothing.</p></footer>

        """
    }

    private var list: String {
        """
        <p>Each address is loaded three times: as a page in a frame, as a picture and by <code>fetch</code>. These are \
        loads of
        web content; use <code>--assume web</code> to judge them as such. For an app's own loads, open the same \
        addresses in
        the app.</p>
        <p><button id="load" class="button" type="button">Load \(urls.count == 1 ? "it" : "all \(urls.count)")</button>
        <span id="told" role="status"></span></p>
        <ol class="files" id="urls">
        \(urls.map { "<li data-url=\"\(XMLText.escaped($0))\">\(XMLText.escaped($0)) <small></small></li>\n" }.joined())</ol>

        """
    }

    private static let nothing = """
        <p>In witness mode, the hosts of <code>--connect-to</code> are listed here. There are none, or the gate is in \
        another
        mode. To try it with the lab:</p>
        <pre><code>atsgate lab --all --write-config lab.conf
        atsgate proxy --config lab.conf --mode witness --assume web</code></pre>

        """

    /// Nothing inline. Loads may come from anywhere, because the page only observes whether they succeed.
    static let contentPolicy =
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src http: https:; img-src http: https:; "
        + "frame-src http: https:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
