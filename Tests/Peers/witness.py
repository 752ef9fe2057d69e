"""Runs clients that accept an origin, and clients that reject it, through a gate in witness mode, and compares the
gate's records with each client's known behavior. Called by witness.sh.

usage: witness.py PORT FOLDER ROOT_PEM
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from urllib.parse import urlsplit

PORT, FOLDER, ROOT = int(sys.argv[1]), sys.argv[2], sys.argv[3]
PROXY = f"http://127.0.0.1:{PORT}"
DEADLINE_SECONDS = 60
HOSTS = ("good12.lab.test", "good.lab.test")  # The first does not support TLS 1.3, the second supports only that.

GO = """package main
import ("crypto/tls"; "crypto/x509"; "io"; "net/http"; "os")
func main() {
    roots := x509.NewCertPool()
    if len(os.Args) > 2 { pem, _ := os.ReadFile(os.Args[2]); roots.AppendCertsFromPEM(pem) }
    transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: roots}}
    answer, err := (&http.Client{Transport: transport}).Get(os.Args[1])
    if err != nil { os.Exit(1) }
    io.Copy(io.Discard, answer.Body); answer.Body.Close(); transport.CloseIdleConnections()
}
"""
NODE = """
const [proxy, host, root] = process.argv.slice(2);
const ca = root ? require("fs").readFileSync(root) : [];
const request = require("http").request({ port: proxy, method: "CONNECT", path: `${host}:443` });
request.on("connect", (answer, socket) => {
  const tls = require("tls").connect({ socket, servername: host, ca }, () => tls.end("GET / HTTP/1.0\\r\\n\\r\\n"));
  tls.on("error", () => process.exit(1)); tls.resume();
});
request.end();
"""
JAVA = """import java.net.*;
public class Load { public static void main(String[] words) throws Exception {
    var proxy = new Proxy(Proxy.Type.HTTP, new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])));
    var load = (HttpURLConnection) new URL(words[1]).openConnection(proxy);
    load.setRequestProperty("Connection", "close"); load.getInputStream().readAllBytes();
} }
"""
BROWSER = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--disable-features=OptimizationHints,MediaRouter", f"--proxy-server={PROXY}"]


def write(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def found(*names):
    return next((path for path in map(shutil.which, names) if path), None)


def clients():
    """Name; command line of each client, with URL and HOST as placeholders; its behavior with TLS 1.2 and with 1.3."""
    accepts = ("accepted application-data", "accepted application-data")
    browser = found("chromium", "chromium-browser", "google-chrome")
    if not browser:
        sys.exit("MISSING  Chromium")
    home = os.path.join(FOLDER, "profile")
    yield "Chromium", [browser, *BROWSER, "--dump-dom", f"--user-data-dir={home}1", "--ignore-certificate-errors", "URL"], accepts
    yield "Chromium that doubts", [browser, *BROWSER, "--dump-dom", f"--user-data-dir={home}2", "URL"], (
        "refused alert-46", "refused sealed-alert")
    curl, node, go, git, wget, java = map(found, ("curl", "node", "go", "git", "wget", "java"))
    if curl:
        yield "curl", [curl, "-sS", "-x", PROXY, "--cacert", ROOT, "URL"], accepts
        yield "curl that doubts", [curl, "-sS", "-x", PROXY, "URL"], ("refused alert-48", "refused alert-48")
    if node:
        script = write("load.js", NODE)
        yield "Node", [node, script, str(PORT), "HOST", ROOT], accepts
        yield "Node that doubts", [node, script, str(PORT), "HOST"], (
            "refused closed-before-request", "refused closed-in-handshake")
    if go:
        write("load.go", GO)
        env = dict(os.environ, GOCACHE=os.path.join(FOLDER, "cache"), GO111MODULE="off", HOME=FOLDER)
        subprocess.run([go, "build", "-o", "load", "load.go"], cwd=FOLDER, env=env, check=True)
        yield "Go", [os.path.join(FOLDER, "load"), "URL", ROOT], accepts
        yield "Go that doubts", [os.path.join(FOLDER, "load"), "URL"], ("refused alert-42", "refused sealed-alert")
    if git and "gnutls" in subprocess.run(["ldd", "/usr/lib/git-core/git-remote-https"], capture_output=True, text=True).stdout:
        # Overrides all of git's settings.
        yield "git with GnuTLS", ["env", f"GIT_SSL_CAINFO={ROOT}", git, "ls-remote", "URL"], accepts
        yield "git with GnuTLS that doubts", [git, "ls-remote", "URL"], (
            "refused closed-before-request", "refused closed-before-request")
    if wget:
        yield "wget", [wget, "-qO-", "-t", "1", f"--ca-certificate={ROOT}", "URL"], accepts
        yield "wget that doubts", [wget, "-qO-", "-t", "1", "URL"], (
            "refused closed-before-request", "refused closed-before-request")
    if java and found("keytool"):
        script, store = write("Load.java", JAVA), os.path.join(FOLDER, "roots.p12")
        subprocess.run(["keytool", "-importcert", "-noprompt", "-alias", "lab", "-file", ROOT, "-keystore", store,
                        "-storepass", "changeit", "-storetype", "PKCS12"], check=True, capture_output=True)
        trust = [f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStorePassword=changeit"]
        yield "Java", [java, *trust, script, str(PORT), "URL"], accepts
        yield "Java that doubts", [java, script, str(PORT), "URL"], ("refused alert-46", "refused sealed-alert")


def page():
    """The device page in Chromium: it loads every address in three ways. Returns the problem, if any."""
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{PROXY}/witness") as answer:
        hosts = {urlsplit(url).hostname for url in re.findall(r'data-url="([^"]+)"', answer.read().decode())}
    before = len(lines())
    # Its clock runs ahead while no answer is pending, up to the time of the slowest address.
    dom = subprocess.run(
        [found("chromium", "chromium-browser", "google-chrome"), *BROWSER, "--ignore-certificate-errors", "--dump-dom",
         "--virtual-time-budget=60000", f"--user-data-dir={os.path.join(FOLDER, 'page')}", f"{PROXY}/witness?go"],
        capture_output=True, text=True, timeout=DEADLINE_SECONDS).stdout
    if 'data-done="true"' not in dom:
        return "did not finish"
    # The gate records a connection once it has ended.
    end = time.monotonic() + DEADLINE_SECONDS
    while True:
        loads = [json.loads(line)["load"]["host"] for line in lines()[before:]]
        missing, cleartext = hosts - set(loads), loads.count("cleartext.lab.test")
        if not missing and cleartext >= 3:
            return ""
        if time.monotonic() > end:
            return f"lacks {', '.join(sorted(missing)) or 'none'}; {cleartext} of 3 loads in the clear"
        time.sleep(0.05)


def outcomes(host, lines):
    loads = [json.loads(line) for line in lines]
    return [f"{load['device']['outcome']} {load['device']['how']}" for load in loads if load["load"]["host"] == host]


def lines():
    try:
        with open(os.path.join(FOLDER, "loads.jsonl")) as file:
            return [line for line in file if line.endswith("\n")]
    except FileNotFoundError:
        return []


env = dict(os.environ, http_proxy=PROXY, https_proxy=PROXY, HTTPS_PROXY=PROXY, HOME=FOLDER, no_proxy="", NO_PROXY="")
wrong = 0
for name, words, known in clients():
    for host, expected in zip(HOSTS, known):
        before = len(lines())
        replaced = [word.replace("URL", f"https://{host}/").replace("HOST", host) for word in words]
        subprocess.run(replaced, env=env, cwd=FOLDER, capture_output=True, timeout=DEADLINE_SECONDS)
        # The gate records a load when its connection has ended; no event reports that.
        end = time.monotonic() + DEADLINE_SECONDS
        seen = []
        while expected not in seen and time.monotonic() < end:
            seen = outcomes(host, lines()[before:])
            if seen and expected not in seen and any(word.startswith(("accepted", "refused")) for word in seen):
                break
            time.sleep(0.05)
        # A client that accepts may open unused connections; one that rejects may try again.
        outcome = expected.split()[0]
        right = expected in seen and (outcome == "accepted" or not any(word.startswith("accepted") for word in seen))
        wrong += not right
        print(f"{'ok      ' if right else 'WRONG   '} {name}, {host}: {', '.join(seen) or 'nothing'}")
trouble = page()
wrong += bool(trouble)
print(f"{'WRONG   ' if trouble else 'ok      '} the device page in Chromium, each address in three ways: {trouble or 'loaded'}")
sys.exit(1 if wrong else 0)
