package dial

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// hostile are addresses with which a file could reach internal servers.
var hostile = []string{
	"http://127.0.0.1/", "http://127.1/", "http://127.8.9.10:8080/", "http://localhost/", "http://LOCALHOST./",
	"http://api.localhost/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/",
	"http://017700000001/", "http://0/", "http://0.0.0.0/", "http://10.0.0.1/", "http://172.16.0.1/",
	"http://172.31.255.255/", "http://192.168.1.1/", "http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/",
	"http://100.100.100.200/", "http://192.0.0.192/", "http://198.18.0.1/", "http://224.0.0.1/", "http://255.255.255.255/",
	"http://240.0.0.1/", "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/",
	"http://[0:0:0:0:0:ffff:10.0.0.1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
	"http://[2001:0:0:0:0:0:f5ff:fffe]/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[fc00::1]/",
	"http://[fd00:ec2::254]/", "http://[ff02::1]/", "http://[fec0::1]/", "http://metadata.google.internal/",
	"http://metadata/", "http://kubernetes.default.svc/", "http://printer.local/", "http://host.docker.internal/",
	"http://me:secret@pictures.example/", "file:///etc/passwd", "gopher://127.0.0.1/", "http:///nobody",
	"http://127.0.0.1.:80/", "http://①②⑦.0.0.1/", "https://[::ffff:169.254.169.254]/",
}

// TestHostile: hostile addresses get no connection, neither as text nor by name resolution.
func TestHostile(t *testing.T) {
	t.Parallel()
	opened := func(_ context.Context, _, address string) (net.Conn, error) {
		t.Errorf("a connection to %s was opened", address)
		return nil, errors.New("refused")
	}
	for _, text := range hostile {
		u, err := url.Parse(text)
		if err != nil {
			continue // no request is made of it
		}
		p := &Public{Open: opened, Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			if strings.HasPrefix(host, "①") { // as a system may read it
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}
			t.Errorf("%s: the address of %q was asked for", text, host)
			return nil, errors.New("not found")
		}}
		port := u.Port()
		if port == "" {
			port = "80"
		}
		known := PublicURL(u, nil)
		if known == nil && !strings.Contains(text, "①") {
			t.Errorf("%s passes for public", text)
		}
		if u.User != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
			continue
		}
		if _, err := p.Dial(t.Context(), "tcp", net.JoinHostPort(u.Hostname(), port)); err == nil {
			t.Errorf("%s was reached", text)
		}
	}
	if len(hostile) < 40 {
		t.Error("there are too few of them")
	}
}

// TestRebinding: a name is checked again when it is dialled, and the connection uses the checked address.
func TestRebinding(t *testing.T) {
	t.Parallel()
	answers := [][]netip.Addr{
		{netip.MustParseAddr("93.184.216.34")},
		{netip.MustParseAddr("127.0.0.1")},
		{netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("10.0.0.1")},
		{netip.MustParseAddr("::ffff:169.254.169.254")},
		{},
	}
	var opened []string
	asked := 0
	p := &Public{
		Lookup: func(context.Context, string) ([]netip.Addr, error) { asked++; return answers[asked-1], nil },
		Open: func(_ context.Context, _, address string) (net.Conn, error) {
			opened = append(opened, address)
			client, server := net.Pipe()
			_ = server.Close()
			return client, nil
		},
	}
	for i := range answers {
		conn, err := p.Dial(t.Context(), "tcp", "pictures.example:443")
		if (err == nil) != (i == 0) {
			t.Errorf("%v: %v", answers[i], err)
		}
		if conn != nil {
			_ = conn.Close()
		}
	}
	if len(opened) != 1 || opened[0] != "93.184.216.34:443" {
		t.Errorf("connections to %v", opened)
	}
}

func TestPublicAndAllowed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://pictures.example/a.png", "http://93.184.216.34/", "https://[2606:4700::1111]/", "http://8.8.8.8:8080/a",
		"https://3m.example/", "https://xn--bcher-kva.example/",
	} {
		u, err := url.Parse(text)
		if err == nil {
			err = PublicURL(u, nil)
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	u, err := url.Parse("http://10.0.0.7/a.png")
	if err != nil {
		t.Fatal(err)
	}
	if err := PublicURL(u, func(host string) bool { return host == "10.0.0.7" }); err != nil {
		t.Error(err)
	}
}

func FuzzPublicHost(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, host string) {
		if PublicHost(host) != nil {
			return
		}
		if addr, err := netip.ParseAddr(host); err == nil && (addr.IsLoopback() || addr.IsPrivate() || addr.Unmap().IsLoopback()) {
			t.Errorf("%q passes for public", host)
		}
	})
}
