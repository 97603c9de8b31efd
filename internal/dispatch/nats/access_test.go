package nats_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/result"
)

// TestTLS: a broker's certificate is held against an authority that the user names.
func TestTLS(t *testing.T) {
	t.Parallel()
	certificate, authority := selfSigned(t)
	b := natstest.New(t, func(o *server.Options) {
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
		o.TLSTimeout = 5
	})
	url := "tls://" + b.Address()
	if c, err := nats.Connect(t.Context(), nats.Options{URL: url, Patience: hang.Guard}); err == nil {
		c.Close()
		t.Error("a certificate that nobody vouches for was taken")
	} else if !strings.Contains(err.Error(), "--nats-ca FILE") || !strings.HasPrefix(err.Error(), url) {
		t.Error(err)
	}
	c := connect(t, nats.Options{URL: url, CAFile: authority, Patience: hang.Guard})
	if err := c.Prepare(t.Context()); err != nil {
		t.Error(err)
	}
}

// selfSigned makes a certificate for 127.0.0.1, and a file with it as its own authority.
func selfSigned(t *testing.T) (certificate tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// TestForbidden: what the broker does not allow is said, and not waited for.
func TestForbidden(t *testing.T) {
	t.Parallel()
	b := natstest.New(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "all", Password: "x"},
			{Username: "some", Password: "hunter2", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Deny: []string{"arena.>"}},
				Subscribe: &server.SubjectPermission{Deny: []string{"app.>"}},
			}},
		}
	})
	c := connect(t, nats.Options{URL: "nats://some:hunter2@" + b.Address()}) // for ever patient
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := listen(t, c)
	defer l.stop()
	for what, err := range map[string]error{"publish": c.Publish(t.Context(), request("a")), "listen": <-l.ended} {
		if err == nil || !strings.Contains(err.Error(), "the broker does not allow it") ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestUnstorable: a worker that may not store results ends, instead of having its evals run again and again.
func TestUnstorable(t *testing.T) {
	t.Parallel()
	b := natstest.New(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "all", Password: "x"},
			{Username: "some", Password: "y", Permissions: &server.Permissions{
				Publish: &server.SubjectPermission{Deny: []string{"arena.evals.results.>"}},
			}},
		}
		o.NoAuthUser = "all"
	})
	publish(t, client(t, b), request("a"), request("b"))
	c := connect(t, nats.Options{URL: "nats://some:y@" + b.Address()})
	runs := 0
	w := worker(c, evaluate(func(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
		runs++
		return both(ctx, r)
	}))
	w.Jobs = 1
	err := w.Run(t.Context(), t.Context())
	if err == nil || !strings.Contains(err.Error(), "the broker does not allow it") || runs != 1 {
		t.Errorf("%v after %d runs", err, runs)
	}
}
