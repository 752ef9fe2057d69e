import HTTPWire
import Resources

extension WebRoute {
    /// The page: files that the compiler builds in, so that an installed command needs no folder of its own.
    static let page: [WebRoute] = Resource.names(of: "page/").compactMap { name -> WebRoute? in
        let file = name.dropFirst("page".count)
        return switch file {
        case "/index.html": route("/", "text/html; charset=utf-8", name)
        // What WebAnswer.noToken fills in.
        case "/no-token.html": nil
        // Of the page that says where the token is.
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
