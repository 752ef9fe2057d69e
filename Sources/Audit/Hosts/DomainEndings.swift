/// The endings of domain names that separate hosts from other text.
///
/// A sample of IANA's root zone: the two-letter codes of ISO 3166 and frequent generic endings. A host in a URL is found
/// with any ending; this list only decides about names without a scheme, and about the end of a host in adjacent strings.
enum DomainEndings {
    static func isKnown(_ ending: some StringProtocol) -> Bool {
        clear.contains(String(ending)) || generic.contains(String(ending)) || countries.contains(String(ending))
    }

    /// True if two labels with this ending are a host, even without a scheme.
    static func isClear(_ ending: some StringProtocol) -> Bool { clear.contains(String(ending)) }

    /// True if the ending also ends names of files, or of a property in code.
    static func isAlsoFileType(_ ending: some StringProtocol) -> Bool { fileTypes.contains(String(ending)) }

    /// True for the first label of a bundle's name, which is a domain in reverse order.
    static func beginsBundleName(_ label: some StringProtocol) -> Bool {
        clear.contains(String(label)) || ["app", "co", "me", "edu", "gov"].contains(String(label))
            || (label.count == 2 && countries.contains(String(label))
                && !["ws", "cf", "tv", "id"].contains(String(label)))
    }

    /// The longest ending of the lists.
    static let longest = 11

    private static let clear: Set = ["com", "net", "org", "io", "dev", "cloud"]

    private static let generic: Set = [
        "academy", "ai", "agency", "app", "art", "asia", "bank", "biz", "blog", "build", "buzz", "cafe", "camp", "care",
        "cat", "center", "chat", "city", "click", "club", "codes", "coffee", "community", "company", "coop", "design",
        "digital", "direct", "earth", "edu", "email", "energy", "events", "example", "exchange", "expert", "express",
        "finance", "fm", "fun", "fund", "games", "global", "goog", "google", "gov", "group", "health", "help", "host",
        "house", "id", "info", "inc", "int", "internal", "invalid", "jobs", "lan", "land", "life", "link", "live",
        "local",
        "localhost", "love", "media", "menu", "mil", "mobi", "money", "name", "network", "news", "ninja", "online",
        "one",
        "page", "partners", "photos", "pizza", "plus", "press", "pro", "rocks", "run", "sale", "school", "science",
        "services", "shop", "site", "social", "software", "solutions", "space", "store", "studio", "support", "systems",
        "team", "tech", "technology", "test", "today", "tools", "top", "travel", "video", "vip", "website", "wiki",
        "work", "works", "world", "wtf", "xyz", "zone",
    ]

    private static let countries: Set<String> = Set(
        """
        ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd \
        cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge \
        gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh \
        ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw \
        mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb \
        sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk \
        us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw
        """.split(separator: " ").map(String.init))

    private static let fileTypes: Set = [
        "ac", "ai", "am", "app", "art", "as", "at", "be", "build", "cat", "cc", "cd", "ci", "click", "co", "de",
        "design",
        "do", "email", "events", "exchange", "fm", "games", "global", "gov", "group", "gs", "gz", "help", "host", "id",
        "im", "in", "info", "int", "internal", "invalid", "is", "it", "js", "la", "life", "link", "live", "local", "ma",
        "md",
        "me", "media", "menu", "ml", "mm", "mo", "ms", "my", "na", "name", "network", "news", "no", "one", "page", "pa",
        "photos", "pl", "plus", "pm", "press", "pro", "ps", "pt", "py", "re", "rs", "run", "sc", "services", "sh",
        "site",
        "so", "space", "sql", "st", "store", "support", "td", "test", "tf", "th", "to", "tools", "top", "tr", "tt",
        "us",
        "video", "vi", "work", "world", "zip", "zone",
    ]
}
