/// Logs of a device, in Apple's wording, about hosts of the lab or made-up hosts.
enum DeviceLog {
    /// A blocked cleartext load, a load that strict trust refused, and an allowed load.
    static let app = """
        2026-10-07 15:30:54.722193+0200 Shop[412:9001] Cannot start load of Task \(one) since it does not conform to ATS policy
        2026-10-07 15:30:54.722400+0200 Shop[412:9001] Task \(one) finished with error [-1022] Error Domain=NSURLErrorDomain \
        Code=-1022 "The resource could not be loaded because the App Transport Security policy requires the use of a secure \
        connection." UserInfo={NSErrorFailingURLKey=http://cleartext.lab.test/users/carol?page=2}
        2026-10-07 15:30:55.100000+0200 Shop[412:9001] [C2 0A0A0A0A-1111-4222-8333-444444444444 expired.lab.test:443 tcp, \
        url hash: 1, tls] start
        2026-10-07 15:30:55.200000+0200 Shop[412:9001] Task \(two) setting up Connection 2
        2026-10-07 15:30:55.300000+0200 Shop[412:9001] ATS failed system trust
        2026-10-07 15:30:55.310000+0200 Shop[412:9001] Connection 2: system TLS Trust evaluation failed(-9802)
        2026-10-07 15:30:55.320000+0200 Shop[412:9001] Connection 2: encountered error(3:-9802)
        2026-10-07 15:30:55.330000+0200 Shop[412:9001] Task \(two) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])
        2026-10-07 15:30:55.340000+0200 Shop[412:9001] Task \(two) finished with error [-1200] Error Domain=NSURLErrorDomain \
        Code=-1200 "An SSL error has occurred and a secure connection to the server cannot be made." \
        UserInfo={NSErrorFailingURLKey=https://expired.lab.test/users/bob}
        2026-10-07 15:30:56.000000+0200 Shop[412:9001] [C3 0A0A0A0A-1111-4222-8333-444444444445 good.lab.test:443 tcp, \
        url hash: 2, tls] start
        2026-10-07 15:30:56.100000+0200 Shop[412:9001] Task \(three) setting up Connection 3
        2026-10-07 15:30:56.200000+0200 Shop[412:9001] Task \(three) received response, status 200 content K

        """

    /// One nscurl test that fails, and one that passes.
    static let nscurl = """
        Starting ATS Diagnostics

        Configuring ATS Info.plist keys and displaying the result of HTTPS loads to https://tls10.lab.test/.
        ================================================================================

        Default ATS Secure Connection
        ---
        ATS Default Connection
        Result : FAIL
        Error : Error Domain=NSURLErrorDomain Code=-1200 "x" UserInfo={_kCFStreamErrorCodeKey=-9836, \
        _kCFStreamErrorDomainKey=3}
        ---

        ================================================================================

        Allowing Arbitrary Loads

        ---
        Allow All Loads
        Result : PASS
        ---

        """

    static let har = """
        {"log": {"version": "1.2", "creator": {"name": "t", "version": "1"}, "entries": [{"startedDateTime": \
        "2026-10-07T13:30:54.722Z", "time": 1, "request": {"method": "GET", "url": "https://good.lab.test/a", "httpVersion": \
        "h2", "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0}, "response": {"status": 200, \
        "statusText": "", "httpVersion": "h2", "headers": [], "cookies": [], "content": {"size": 0, "mimeType": ""}, \
        "redirectURL": "", "headersSize": -1, "bodySize": 0}, "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0}}]}}
        """

    private static let one = "<0A0A0A0A-1111-4222-8333-444444444444>.<1>"
    private static let two = "<0A0A0A0A-1111-4222-8333-444444444444>.<2>"
    private static let three = "<0B0B0B0B-1111-4222-8333-444444444444>.<3>"
}
