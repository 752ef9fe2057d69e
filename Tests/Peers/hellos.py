"""Real clients through a gate: the reading of each one's ClientHello in the gate's records.

    hellos.py clients PORT WORK RECORDS   every client; prints a table, ends with 1 if a reading is not the expected one
    hellos.py loads HOST...               an app's load with ATS for each HOST, and with HOST=safari one without

Needs curl_cffi; go, java, node, openssl and curl are used if they are installed.
"""

import json
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

from curl_cffi import requests

HOST = "good.lab.test"
SUITES_ATS = "49196-49195-52393-49200-49199-52392-49162-49161-49172-49171"
# The order of iOS 26.2 and later. Source: roolinkio/tlsprofiles, StandardIOS26_2.
SUITES_ATS_26 = "49196-49200-49195-52393-49199-52392-49162-49161-49172-49171"
SUITES_RSA = "157-156-53-47"
EXTENSIONS = "0-23-65281-10-11-16-5-13-18-51-45-43-27-21"
EXTENSIONS_26 = "0-23-65281-10-11-16-5-13-18-51-45-43-27"
GROUPS = "29-23-24-25"
TLS_1_3 = {"18": "4865-4866-4867", "26": "4866-4867-4865", "26.2": "4866-4865-4867"}


def custom(suites, extensions=EXTENSIONS, groups=GROUPS, base="safari184_ios"):
    return {"impersonate": base, "ja3": f"771,{suites},{extensions},{groups},0"}


APPS = {
    "URLSession of iOS 18, ATS": custom(f"{TLS_1_3['18']}-{SUITES_ATS}"),
    "URLSession of iOS 26, ATS": custom(f"{TLS_1_3['26']}-{SUITES_ATS}", EXTENSIONS_26, f"4588-{GROUPS}", "safari2601"),
    "URLSession of iOS 26.2, ATS": custom(
        f"{TLS_1_3['26.2']}-{SUITES_ATS_26}", EXTENSIONS_26, f"4588-{GROUPS}", "safari2601"),
    "17 suites of iOS 18": custom(f"{TLS_1_3['18']}-{SUITES_ATS}-{SUITES_RSA}"),
    "NIAP's seven suites": custom(
        f"{TLS_1_3['26']}-49196-49195-49200-49199", EXTENSIONS_26, f"4588-{GROUPS}", "safari2601"),
    "an unknown list of Apple's TLS": custom(f"{TLS_1_3['18']}-49196-49195"),
}
APP_READINGS = {
    "URLSession of iOS 18, ATS": "ats", "URLSession of iOS 26, ATS": "ats", "URLSession of iOS 26.2, ATS": "ats",
    "17 suites of iOS 18": "ats-or-web", "NIAP's seven suites": "niap", "an unknown list of Apple's TLS": "unknown",
}
SAFARI = [
    "safari153", "safari155", "safari170", "safari172_ios", "safari180", "safari180_ios", "safari184", "safari184_ios",
    "safari260", "safari260_ios", "safari2601", "safari270", "safari270_ios",
]
OTHERS = {
    "chrome99_android": "BoringSSL", "chrome131": "BoringSSL", "chrome146": "BoringSSL", "edge101": "BoringSSL",
    "firefox133": "Firefox", "firefox144": "Firefox", "firefox155": "Firefox", "tor145": "Firefox",
}

GO = """package main
import ("crypto/tls"; "net/http"; "net/url"; "os")
func main() {
    proxy, _ := url.Parse(os.Args[1])
    transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
        ForceAttemptHTTP2: len(os.Args) > 3}
    client := &http.Client{Transport: transport}
    if answer, err := client.Get(os.Args[2]); err == nil { answer.Body.Close() } else { os.Stderr.WriteString(err.Error()) }
}
"""
JAVA = """import java.net.*; import java.security.*; import java.security.cert.*; import javax.net.ssl.*;
public class Load {
  public static void main(String[] words) throws Exception {
    TrustManager all = new X509ExtendedTrustManager() {
      public void checkClientTrusted(X509Certificate[] c, String a, Socket s) {}
      public void checkServerTrusted(X509Certificate[] c, String a, Socket s) {}
      public void checkClientTrusted(X509Certificate[] c, String a, SSLEngine e) {}
      public void checkServerTrusted(X509Certificate[] c, String a, SSLEngine e) {}
      public void checkClientTrusted(X509Certificate[] c, String a) {}
      public void checkServerTrusted(X509Certificate[] c, String a) {}
      public X509Certificate[] getAcceptedIssuers() { return new X509Certificate[0]; } };
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] { all }, null);
    HttpsURLConnection.setDefaultSSLSocketFactory(context.getSocketFactory());
    Proxy proxy = new Proxy(Proxy.Type.HTTP, new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])));
    HttpURLConnection load = (HttpURLConnection) new URL(words[1]).openConnection(proxy);
    System.out.println(load.getResponseCode());
  }
}
"""
NODE = """const http = require("http"), tls = require("tls");
const [port, url] = process.argv.slice(2), target = new URL(url);
http.request({ host: "127.0.0.1", port, method: "CONNECT", path: `${target.host}:443` }).on("connect", (_, socket) => {
  const secured = tls.connect({ socket, servername: target.host, rejectUnauthorized: false }, () =>
    secured.end(`GET ${target.pathname} HTTP/1.1\\r\\nHost: ${target.host}\\r\\nConnection: close\\r\\n\\r\\n`));
  secured.on("data", () => {});
}).end();
"""


def load(url, proxy, **how):
    try:
        return requests.get(url, proxies={"https": proxy}, verify=False, timeout=30, **how)
    except requests.RequestsError as error:
        print(f"    {url}: {error}", file=sys.stderr)


def run(*command, text=""):
    result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=False)
    if result.returncode:
        print(f"    {command[0]} ended with {result.returncode}: {result.stderr[-300:]}", file=sys.stderr)


def python_load(url, proxy):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({"https": proxy}), urllib.request.HTTPSHandler(context=context))
    try:
        opener.open(url, timeout=30).close()
    except urllib.error.HTTPError:
        pass  # The hello was sent, with any status.


def programs(port, work):
    """Name, expected client of the list, and a function that loads a URL, for each program that is installed."""
    proxy = f"http://127.0.0.1:{port}"
    found = [("Python, urllib", "Python", lambda url: python_load(url, proxy))]
    if shutil.which("curl"):
        found.append(("curl", "OpenSSL", lambda url: run("curl", "-ksS", "-x", proxy, "-o", os.devnull, url)))
    if shutil.which("openssl"):
        ask = "GET {} HTTP/1.1\r\nHost: good.lab.test\r\nConnection: close\r\n\r\n"
        found.append((
            "openssl s_client", "OpenSSL", lambda url: run(
                "openssl", "s_client", "-quiet", "-proxy", f"127.0.0.1:{port}", "-connect", f"{HOST}:443",
                "-servername", HOST, text=ask.format("/" + url.rsplit("/", 1)[1]))))
    if shutil.which("go"):
        (work / "go").mkdir(exist_ok=True)
        (work / "go/main.go").write_text(GO, encoding="utf-8")
        run("env", f"GOCACHE={work}/gocache", "GO111MODULE=off", "go", "build", "-o", f"{work}/goload", f"{work}/go/main.go")
        found.append(("Go, HTTP/1.1", "Go", lambda url: run(f"{work}/goload", proxy, url)))
        found.append(("Go, HTTP/2", "Go", lambda url: run(f"{work}/goload", proxy, url, "h2")))
    if shutil.which("java"):
        (work / "Load.java").write_text(JAVA, encoding="utf-8")
        found.append(("Java, HttpsURLConnection", "Java", lambda url: run("java", f"{work}/Load.java", str(port), url)))
    if shutil.which("node"):
        (work / "load.js").write_text(NODE, encoding="utf-8")
        found.append(("Node.js", "Node.js", lambda url: run("node", f"{work}/load.js", str(port), url)))
    return found


def recorded(path, count):
    """The records, once there are `count` paths, or after ten seconds."""
    end = time.monotonic() + 10
    while True:
        records = {}
        for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            records[record["load"]["url"].rsplit("/", 1)[1]] = record
        if len(records) >= count or time.monotonic() > end:
            return records
        time.sleep(0.05)  # The gate writes records in batches; the loop has a deadline.


def clients(port, work, records):
    work = pathlib.Path(work)
    proxy = f"http://127.0.0.1:{port}"
    rows = []
    for name in SAFARI:
        rows.append((name, "not-in-force", "Safari", lambda url, name=name: load(url, proxy, impersonate=name)))
    for name, how in APPS.items():
        rows.append((name, APP_READINGS[name], None, lambda url, how=how: load(url, proxy, **how)))
    for name, client in OTHERS.items():
        rows.append((name, "other", client, lambda url, name=name: load(url, proxy, impersonate=name)))
    rows += [(name, "other", client, ask) for name, client, ask in programs(port, work)]
    for place, (_, _, _, ask) in enumerate(rows):
        ask(f"https://{HOST}/client-{place}")
    found = recorded(records, len(rows))
    wrong = 0
    print(f"{'client':31} {'JA4':37} {'reads':13} {'expected':13} certainty      matches")
    for place, (name, expected, client, _) in enumerate(rows):
        hello = found.get(f"client-{place}", {}).get("client", {}).get("hello") or {}
        matches = hello.get("matches") or "-"
        is_right = hello.get("reads") == expected and (client is None or client in matches)
        wrong += not is_right
        mark = "" if is_right else "  WRONG"
        print(f"{name:31} {hello.get('ja4') or '-':37} {hello.get('reads') or '-':13} {expected:13} "
              f"{hello.get('certainty') or '-':14} {matches}{mark}")
    print(f"{len(rows) - wrong} of {len(rows)} clients as expected")
    return wrong


def loads(hosts):
    proxy = os.environ["HTTPS_PROXY"]
    for host in hosts:
        name, _, kind = host.partition("=")
        how = {"impersonate": "safari270_ios"} if kind == "safari" else APPS["URLSession of iOS 26.2, ATS"]
        for number in range(3):
            load(f"https://{name}/{number}", proxy, headers={"User-Agent": "Demo/1 CFNetwork/3826 Darwin/25.2.0"}, **how)


if sys.argv[1] == "clients":
    sys.exit(1 if clients(*sys.argv[2:]) else 0)
loads(sys.argv[2:])
