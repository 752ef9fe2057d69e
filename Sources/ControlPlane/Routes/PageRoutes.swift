import HTTPWire
import Resources

extension WebRoute {
    /// The page's files, built into the program so that an installed command needs no data folder.
    static let page: [WebRoute] = Resource.names(of: "page/").compactMap { name -> WebRoute? in
        let file = name.dropFirst("page".count)
        return switch file {
        case "/index.html": route("/", "text/html; charset=utf-8", name)
        // The template of WebAnswer.noToken, not a page.
        case "/no-token.html": nil
        // Needed by the page that explains where to find the token.
        case "/no-token.css": route(file, "text/css; charset=utf-8", name, .anyone)
        case _ where file.hasSuffix(".css"): route(file, "text/css; charset=utf-8", name)
        default: route(file, "text/javascript; charset=utf-8", name)
        }
    }

    private static func route(
        _ path: some StringProtocol, _ type: String, _ resource: String, _ access: Access = .reading
    ) -> WebRoute {
        let bytes = Resource(resource).bytes
        return WebRoute(.get, String(path), access, isQuick: true) { _ in WebAnswer(type, bytes) }
    }
}
