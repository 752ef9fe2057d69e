import HTTPWire

extension WebRoute {
    /// The page: files that the compiler builds in, so that an installed command needs no folder of its own.
    static let page: [WebRoute] =
        [
            file("/", "text/html; charset=utf-8", PackageResources.index_html),
            file("/page.css", "text/css; charset=utf-8", PackageResources.page_css),
            file("/lists.css", "text/css; charset=utf-8", PackageResources.lists_css),
            // Of the page that says where the token is.
            file("/door.css", "text/css; charset=utf-8", PackageResources.door_css, .anyone),
        ] + scripts.map { file("/\($0)", "text/javascript; charset=utf-8", $1) }

    private static let scripts: [(String, [UInt8])] = [
        ("address.js", PackageResources.address_js),
        ("api.js", PackageResources.api_js),
        ("app.js", PackageResources.app_js),
        ("board.js", PackageResources.board_js),
        ("comparison.js", PackageResources.comparison_js),
        ("copies.js", PackageResources.copies_js),
        ("detail.js", PackageResources.detail_js),
        ("devices.js", PackageResources.devices_js),
        ("dictionary.js", PackageResources.dictionary_js),
        ("dom.js", PackageResources.dom_js),
        ("empty.js", PackageResources.empty_js),
        ("facts.js", PackageResources.facts_js),
        ("filters.js", PackageResources.filters_js),
        ("hosts.js", PackageResources.hosts_js),
        ("latest.js", PackageResources.latest_js),
        ("loads.js", PackageResources.loads_js),
        ("lost.js", PackageResources.lost_js),
        ("picture.js", PackageResources.picture_js),
        ("recordings.js", PackageResources.recordings_js),
        ("roving.js", PackageResources.roving_js),
        ("sort.js", PackageResources.sort_js),
        ("timeline.js", PackageResources.timeline_js),
        ("whatif.js", PackageResources.whatif_js),
    ]

    private static func file(
        _ path: String, _ type: String, _ bytes: [UInt8], _ access: Access = .reading
    ) -> WebRoute {
        WebRoute(.get, path, access, isQuick: true) { _ in WebAnswer(type, bytes) }
    }
}
