import Text

/// URLs in an app that it does not load: names that have the form of a URL, and addresses for people.
public struct Noise: Sendable, Hashable {
    /// Raw values are shown in JSON.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The name of an XML namespace, a schema or a document type. The program compares it, and loads nothing.
        case namespace
        /// A page about an error, a function or a project.
        case documentation
        /// A licence.
        case licence
        /// A name without a dot or without a known ending: no public server has it.
        case unknownName = "unknown-name"
        /// An address in certificates, which the system loads without the app's dictionary.
        case certificate

        /// For text, in the plural.
        public var words: String {
            switch self {
            case .namespace: "names of namespaces and schemas"
            case .documentation: "links to documentation"
            case .licence: "links to licences"
            case .unknownName: "names that no public server has"
            case .certificate: "addresses in certificates"
            }
        }
    }

    /// A host, with its subdomains if it begins with a dot, and the beginning of the path.
    let host: String
    let path: String
    public let kind: Kind
    public let source: String

    /// The first entry of the table that a URL matches; nil for a host that the app may load from.
    public static func kind(of found: FoundText) -> Kind? {
        guard found.isTemplate || canBePublic(found.host) else { return .unknownName }
        let rest = found.text.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        return byHost(found.host).first { rest.hasPrefix($0.path) }?.kind
    }

    /// False for a name without a known ending.
    private static func canBePublic(_ host: String) -> Bool {
        if IPAddress(host) != nil { return true }
        let ending = host.split(separator: ".").last ?? ""
        return host == "localhost" || host.contains(".") && (DomainEndings.isKnown(ending) || ending.hasPrefix("xn--"))
    }

    private static func byHost(_ host: String) -> [Noise] {
        var name = host[...]
        var all = table[host] ?? []
        while true {
            all += table["." + name] ?? []
            guard let dot = name.firstIndex(of: ".") else { return all }
            name = name[name.index(after: dot)...]
        }
    }

    private static let table = Dictionary(grouping: entries) { $0.host }
}

extension Noise {
    private static func rows(_ kind: Kind, _ source: String, _ places: [String]) -> [Noise] {
        places.map { place in
            let slash = place.firstIndex(of: "/") ?? place.endIndex
            return Noise(host: String(place[..<slash]), path: String(place[slash...]), kind: kind, source: source)
        }
    }

    /// The table. A place is a host with the beginning of a path; a dot before it includes subdomains.
    public static let entries: [Noise] =
        rows(
            .namespace, "W3C, Namespaces in XML 1.0, section 2.1: a namespace name need not be retrievable",
            [
                "www.w3.org", "w3.org", "ns.adobe.com", "purl.org", "www.purl.org", "xmlns.com", "ogp.me",
                "schemas.xmlsoap.org", "schemas.microsoft.com", "schemas.openxmlformats.org", "schemas.android.com",
                "www.topografix.com/GPX", "www.opengis.net", "sodipodi.sourceforge.net", "www.inkscape.org/namespaces",
                "apache.org/cordova/ns", "cordova.apache.org/ns", "xml.org/sax", "apache.org/xml", "xmlsoft.org",
                "docbook.org", "www.garmin.com/xmlschemas", "www.google.com/kml", "earth.google.com/kml",
                "iptc.org/std", "cipa.jp/exif", "www.aiim.org", "relaxng.org/ns", "javax.xml", "exslt.org",
                "icl.com/saxon", "search.yahoo.com/mrss", "www.itunes.com/dtds", "tempuri.org", "xml.apache.org",
                "purl.oclc.org", "www.idpf.org", "graphml.graphdrawing.org", "www.collada.org", "bellard.org/ns",
                "www.gribuser.ru/xml", "java.sun.com", "specs.openid.net", "docs.oasis-open.org", "www.ivoa.net",
                "dashif.org", "s3.amazonaws.com/doc", "opendal.apache.org/ns", "www.ascc.net", "www.oasis-open.org",
                "labs.creativecommons.org", "relaxng.org",
                "aomedia.org/emsg", "www.iec.ch", "mpeg.org", "developer.apple.com/streaming",
            ])
        + rows(
            .namespace, "JSON Schema Core, section 8.1: an identifier need not be a network location",
            [
                "json-schema.org", "schema.org", "www.schema.org", "json.schemastore.org", "swagger.io/v2/schema.json",
            ])
        + rows(
            .namespace, "Protocol Buffers, any.proto: a prefix of type names",
            ["type.googleapis.com", "type.googleprod.com"])
        + rows(
            .namespace, "Google, OAuth 2.0 for Mobile & Desktop Apps: ids of clients",
            [".apps.googleusercontent.com"])
        + rows(.namespace, "Apple, plist(5): the document type of property lists", ["www.apple.com/DTDs"])
        + rows(
            .certificate, "RFC 5280 sections 4.2.1.13 and 4.2.2.1: addresses of revocation lists and of issuers",
            [
                "crl.apple.com", "ocsp.apple.com", "certs.apple.com", "www.apple.com/appleca",
                "www.apple.com/certificateauthority", ".ocsp.digicert.com", "crl3.digicert.com", "crl4.digicert.com",
                "cacerts.digicert.com", "www.digicert.com/CPS", "crl.globalsign.com", "ocsp.globalsign.com",
                "crl.verisign.com", "ocsp.verisign.com", "crl.thawte.com", "ocsp.thawte.com", "crl.comodoca.com",
                "ocsp.comodoca.com", "crl.usertrust.com", "ocsp.usertrust.com", "crl.geotrust.com", "ocsp.sectigo.com",
                "crl.sectigo.com", "crt.sectigo.com", "sectigo.com/CPS", "crl.entrust.net", "ocsp.entrust.net",
                ".lencr.org", "ocsp.pki.goog", "crl.pki.goog", "pki.goog", "www.usertrust.com", "cps.letsencrypt.org",
                "cps.root-x1.letsencrypt.org", "certificates.godaddy.com", "crl.godaddy.com", "ocsp.godaddy.com",
            ])
        + licences + documentation

    private static let licences = rows(
        .licence, "the publishers of the licences",
        [
            "www.apache.org/licenses", "apache.org/licenses", "opensource.org", "www.opensource.org",
            "creativecommons.org", "www.gnu.org/licenses", "gnu.org/licenses", "www.gnu.org/copyleft", "unlicense.org",
            "scripts.sil.org", "openfontlicense.org", "spdx.org", "choosealicense.com", "www.mozilla.org/MPL",
            "mozilla.org/MPL", "mozilla.org/en-US/MPL", "jquery.org/license", "www.boost.org/LICENSE_1_0.txt",
            "fontawesome.com/license",
            "github.com/nodejs/node/blob/master/LICENSE", "www.monotype.com", "www.fsf.org",
        ])

    private static let documentation = rows(
        .documentation, "the publishers of the pages: language, framework and library references, issue trackers",
        [
            "developer.apple.com/documentation", "developer.apple.com/library", "developer.apple.com/design",
            "developer.apple.com/forums", "developer.apple.com/reference", "developer.mozilla.org", "mdn.io", "mzl.la",
            "stackoverflow.com", "www.stackoverflow.com", "en.wikipedia.org", "wikipedia.org", "www.wikipedia.org",
            "en.m.wikipedia.org", "github.com", "www.github.com", "gist.github.com", "gitlab.com", "bitbucket.org",
            "bugs.chromium.org", "crbug.com", "issues.chromium.org", "bugs.webkit.org", "webkit.org",
            "bugzilla.mozilla.org",
            "issuetracker.google.com", "source.android.com", "developer.android.com",
            "developers.google.com/protocol-buffers",
            "code.google.com", "caniuse.com", "drafts.csswg.org", "html.spec.whatwg.org", "url.spec.whatwg.org",
            ".spec.whatwg.org",
            "tc39.es", "tc39.github.io", "262.ecma-international.org", "www.ecma-international.org",
            "ecma-international.org",
            "tools.ietf.org", "datatracker.ietf.org", "www.ietf.org", "www.rfc-editor.org", "rfc-editor.org",
            "www.iana.org",
            "www.unicode.org", "unicode.org", "cldr.unicode.org", "www.iso.org", "www.khronos.org",
            "registry.khronos.org",
            "reactjs.org", ".reactjs.org", "react.dev", "legacy.reactjs.org", "reactnative.dev", "facebook.github.io",
            "reactnavigation.org", "reactrouter.com", "redux.js.org", "redux-toolkit.js.org", "react-redux.js.org",
            "fb.me", "mobx.js.org",
            "docs.expo.dev", "docs.expo.io", "expo.fyi", "docs.swmansion.com", "capacitorjs.com",
            "ionicframework.com/docs",
            "cordova.apache.org", "issues.apache.org", "angular.io", "angular.dev", "next.angular.io", "g.co/ng",
            "vuejs.org", "v3.vuejs.org", "v2.vuejs.org", "rxjs.dev",
            "svelte.dev", "stenciljs.com", "chat.stenciljs.com", "nodejs.org", "npmjs.com", "www.npmjs.com", "npms.io",
            "webpack.js.org", "babeljs.io",
            "rollupjs.org", "yarnpkg.com", "jquery.com",
            "api.jquery.com", "bugs.jquery.com", "lodash.com", "momentjs.com", "feross.org", "mths.be",
            "underscorejs.org", "benalman.com", "docs.flutter.dev", "flutter.dev", "api.flutter.dev", "flutter.io",
            "dart.dev", "api.dart.dev", "dartbug.com", "goo.gle", "pub.dev", "docs.python.org", "www.python.org",
            "python.org", "bugs.python.org",
            "peps.python.org", "packaging.python.org", "pypi.org/project", "pypi.python.org/pypi", "setuptools.pypa.io",
            "setuptools.readthedocs.io", "pip.pypa.io", ".readthedocs.io",
            ".readthedocs.org", ".rtfd.io", ".rtfd.org", "numpy.org", "www.numpy.org", "docs.scipy.org", "scipy.org",
            "kivy.org", "beeware.org",
            "docs.rs", "doc.rust-lang.org", "rust-lang.org", "rust-lang.github.io", "crates.io", "go.dev", "golang.org",
            "www.openssl.org", "openssl.org", "docs.openssl.org",
            "curl.se", "curl.haxx.se", "sqlite.org", "www.sqlite.org", "www.gnu.org", "gnu.org", "savannah.gnu.org",
            "gcc.gnu.org", "llvm.org", "clang.llvm.org", "bugs.llvm.org",
            "swift.org", "docs.swift.org", "bugs.swift.org", "docs.microsoft.com", "learn.microsoft.com",
            "msdn.microsoft.com",
            "docs.unity3d.com", "docs.oracle.com", "kotlinlang.org", "youtrack.jetbrains.com", "kotl.in",
            "firebase.google.com/docs",
            "firebase.google.com/support", "docs.sentry.io", "docs.aws.amazon.com", "cloud.google.com/docs",
            "www.zlib.net", "zlib.net", "libpng.org", "www.libpng.org",
            "www.ijg.org", "www.boost.org", "www.opengl.org", "bit.ly", "goo.gl", "aka.ms", "tinyurl.com", "git.io",
            "medium.com", "blog.angular.io",
        ])
}
