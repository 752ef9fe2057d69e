import FlyingFox
import Foundation

extension WebRoute {
    /// The page: files that the compiler builds in, so that an installed command needs no folder of its own.
    static let page: [WebRoute] = [
        file("/", "text/html; charset=utf-8", PackageResources.index_html)
    ]

    private static func file(_ path: String, _ type: String, _ bytes: [UInt8]) -> WebRoute {
        let data = Data(bytes)
        return WebRoute(.GET, path, .reading) { _ in .content(type, data) }
    }
}
