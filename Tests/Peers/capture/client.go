// Loads a URL with its own transport, as many programs do.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	client := http.Client{Transport: &http.Transport{Proxy: nil, ForceAttemptHTTP2: true}}
	answer, err := client.Get(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if _, err = io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != 200 {
		log.Fatal(answer.Status, err)
	}
}
