package dial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/ellipsis"
)

// ErrPrivate is wrapped by the errors of addresses that only this machine or its network can reach.
var ErrPrivate = errors.New("is not a public address")

// Public opens connections to public addresses only, so that a file by somebody else cannot reach internal servers. The
// resolved addresses of each connection are checked, and it uses one of them.
type Public struct {
	// Allowed reports whether a host may be reached even if it is private; nil: none.
	Allowed func(host string) bool
	// Lookup finds the addresses of a name; nil: as the system does.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Open opens the connection; nil: New(false) does.
	Open Func
}

// Dial opens a connection, as http.Transport takes it.
func (p *Public) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	open := p.Open
	if open == nil {
		open = New(false)
	}
	if p.Allowed != nil && p.Allowed(host) {
		return open(ctx, network, address)
	}
	found, err := p.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, addr := range found {
		if why := private(addr); why != "" {
			return nil, &FinalError{fmt.Sprintf("%s leads to %s, which %v (%s)", shownHost(host), addr, ErrPrivate, why)}
		}
	}
	var conn net.Conn
	for _, addr := range found {
		if conn, err = open(ctx, network, net.JoinHostPort(addr.String(), port)); err == nil || ctx.Err() != nil {
			break
		}
	}
	return conn, err
}

func (p *Public) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if err := PublicHost(host); err != nil {
		return nil, &FinalError{err.Error()}
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	lookup := p.Lookup
	if lookup == nil {
		lookup = systemLookup
	}
	found, err := lookup(ctx, host)
	if err == nil && len(found) == 0 {
		err = errors.New("it has no address")
	}
	if err != nil {
		return nil, fmt.Errorf("the address of %s is not found: %w", shownHost(host), err)
	}
	return found, nil
}

const lookupTime = 15 * time.Second

func systemLookup(ctx context.Context, host string) ([]netip.Addr, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// PublicURL says why the text of a URL cannot be public; nil: it may be. The URL must be http or https without user
// info.
func PublicURL(u *url.URL, allowed func(host string) bool) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("it has the scheme %q; only http and https are fetched", ellipsis.Runes(u.Scheme, 40))
	case u.Host == "" || u.Hostname() == "":
		return errors.New("it names no host")
	case u.User != nil:
		return errors.New("it holds a name or a password, which does not belong into an address")
	case allowed != nil && allowed(u.Hostname()):
		return nil
	}
	return PublicHost(u.Hostname())
}

// PublicHost says why the text of a host cannot be public; nil: it may be.
func PublicHost(host string) error {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if addr, err := netip.ParseAddr(name); err == nil {
		if why := private(addr); why != "" {
			return fmt.Errorf("%s %w (%s)", shownHost(host), ErrPrivate, why)
		}
		return nil
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case strings.ContainsAny(name, "%[]"):
		return fmt.Errorf("%s is not a host", shownHost(host))
	case isNumber(last): // 2130706433, 0x7f.1, 0177.0.0.1: other spellings of 127.0.0.1
		return fmt.Errorf("%s is no address in its usual form, as 192.0.2.1", shownHost(host))
	case localName(name):
		return fmt.Errorf("%s %w (a name within a machine or a network)", shownHost(host), ErrPrivate)
	}
	return nil
}

func shownHost(host string) string { return ellipsis.Runes(host, 100) }

func isNumber(label string) bool {
	digits, hex := label, false
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		digits, hex = rest, true
	}
	return label != "" && strings.Trim(digits, "0123456789") == "" ||
		hex && strings.Trim(digits, "0123456789abcdef") == ""
}

// localName reports whether a name stands for something within a machine, a network or a cloud. A name of one word is
// found by the domains that this machine searches.
func localName(name string) bool {
	if !strings.ContainsRune(name, '.') {
		return true
	}
	for _, end := range []string{"localhost", "local", "internal", "intranet", "lan", "home.arpa", "localdomain", "svc"} {
		if strings.HasSuffix(name, "."+end) {
			return true
		}
	}
	return false
}

// ranges are the ranges of addresses that are not public, with their purposes.
var ranges = []struct{ prefix, what string }{
	{"0.0.0.0/8", "this network"}, {"10.0.0.0/8", "private"}, {"100.64.0.0/10", "of a provider's own network"},
	{"127.0.0.0/8", "this machine"}, {"169.254.0.0/16", "link-local"}, {"172.16.0.0/12", "private"},
	{"192.0.0.0/24", "reserved"}, {"192.0.2.0/24", "for documentation"}, {"192.88.99.0/24", "reserved"},
	{"192.168.0.0/16", "private"}, {"198.18.0.0/15", "for benchmarks"}, {"198.51.100.0/24", "for documentation"},
	{"203.0.113.0/24", "for documentation"}, {"224.0.0.0/4", "multicast"}, {"240.0.0.0/4", "reserved"},
	{"::/128", "this network"}, {"::1/128", "this machine"}, {"64:ff9b:1::/48", "private"}, {"100::/64", "discarded"},
	{"2001::/32", "a tunnel"}, {"2001:db8::/32", "for documentation"}, {"3fff::/20", "for documentation"},
	{"5f00::/16", "reserved"}, {"fc00::/7", "private"}, {"fe80::/10", "link-local"}, {"fec0::/10", "private"},
	{"ff00::/8", "multicast"},
}

// private is the purpose of an address that is not public; "" for a public one.
func private(addr netip.Addr) string {
	if addr.Zone() != "" {
		return "link-local"
	}
	addr = addr.Unmap()
	if inner, ok := within(addr); ok {
		if why := private(inner); why != "" {
			return why
		}
	}
	for _, r := range ranges {
		if netip.MustParsePrefix(r.prefix).Contains(addr) {
			return r.what
		}
	}
	if !addr.IsGlobalUnicast() {
		return "not of one machine"
	}
	return ""
}

// within is the IPv4 address that an IPv6 address stands for: of ::1.2.3.4, NAT64 and 6to4.
func within(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is6() {
		return addr, false
	}
	b := addr.As16()
	at := -1
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(addr), netip.MustParsePrefix("::/96").Contains(addr):
		at = 12
	case netip.MustParsePrefix("2002::/16").Contains(addr):
		at = 2
	}
	if at < 0 {
		return addr, false
	}
	return netip.AddrFrom4([4]byte(b[at : at+4])), true
}
