package reach_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/askhub/askhub/internal/reach"
)

// What TLS costs a request on a connection that is kept, and one on a new connection.
func BenchmarkRequest(b *testing.B) {
	for name, settings := range map[string]string{"plain": "", "local-ca": "tls = \"local-ca\"\n"} {
		for kind, alone := range map[string]bool{"kept": false, "new": true} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				dir := b.TempDir()
				withCA(b, dir)
				h := serve(b, dir, settings)
				trust, err := reach.ClientTLS(h.cfg)
				if err != nil {
					b.Fatal(err)
				}
				transport := &http.Transport{TLSClientConfig: trust, DisableKeepAlives: alone}
				defer transport.CloseIdleConnections()
				client := &http.Client{Transport: transport}
				for b.Loop() {
					resp, err := client.Get(reach.URL(h.cfg, h.address) + "/ask")
					if err != nil {
						b.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
			})
		}
	}
}
