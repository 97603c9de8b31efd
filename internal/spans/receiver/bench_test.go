package receiver

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"
	"testing"
)

// BenchmarkReceive takes 100,000 spans from 50 programs at once, in requests of 500 as exporters send them.
func BenchmarkReceive(b *testing.B) {
	const programs, requests, batch = 50, 4, 500
	s := serve(b)
	list := make([]string, batch)
	for i := range list {
		list[i] = fmt.Sprintf("tool number %d", i)
	}
	body := asProtobuf(b, "", list...)
	b.SetBytes(int64(len(body) * programs * requests))
	b.ReportAllocs()
	most := uint64(0)
	for b.Loop() {
		var g sync.WaitGroup
		inboxes := make([]*Inbox, programs)
		for i := range programs {
			in := s.Open(fmt.Sprint(i))
			inboxes[i] = in
			g.Go(func() {
				c := &http.Client{Transport: &http.Transport{}}
				defer c.CloseIdleConnections()
				for range requests {
					req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.URL()+"/v1/traces",
						bytes.NewReader(body))
					if err != nil {
						b.Error(err)
						return
					}
					req.Header.Set(TrialHeader, fmt.Sprint(i))
					req.Header.Set(SecretHeader, s.Secret())
					resp, err := c.Do(req)
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
			})
		}
		g.Wait()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.Sys)
		kept := 0
		for _, in := range inboxes {
			got, _ := in.Take()
			kept += len(got)
			in.Close()
		}
		if kept != programs*requests*batch {
			b.Fatalf("%d spans of %d", kept, programs*requests*batch)
		}
	}
	b.ReportMetric(float64(most)/(1<<20), "MiB-of-process")
}
