package secret

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// InAddress returns the passwords in an address or a database connection string: before the host, in parameters with
// names of secrets, and in forms such as password=value.
func InAddress(text string) (found []string) {
	text = strings.TrimSpace(text)
	if userinfo, ok := beforeHost(text); ok {
		if user, password, both := strings.Cut(userinfo, ":"); both {
			found = append(found, unescaped(password)...)
		} else if len(user) >= minUser && !IsWords(user) {
			found = append(found, unescaped(user)...)
		}
	}
	for _, m := range settings().FindAllStringSubmatch(text, -1) {
		if value := strings.Trim(m[2], `'"`); CallsSecret(strings.TrimSpace(m[1])) {
			found = append(found, unescaped(value)...)
		}
	}
	return found
}

// minUser is the length from which the user of an address without a password is one: a token.
const minUser = 12

// settings matches name=value in the parameters of an address and in the words of a connection.
var settings = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[?&;,\s])\s*([A-Za-z][\w.-]*(?: [A-Za-z]\w*)?)\s*=\s*("[^"]*"|'[^']*'|[^?&;,\s#]+)`)
})

// driverAddress matches the start of user:password@tcp(host)/base.
var driverAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([^\s/@:]+:.+)@[a-z0-9]*\(`) })

// beforeHost is the user info of an address: a user, and usually a password.
func beforeHost(text string) (userinfo string, ok bool) {
	_, rest, isAddress := strings.Cut(text, "://")
	if !isAddress {
		if m := driverAddress().FindStringSubmatch(text); m != nil {
			return m[1], true
		}
		return "", false
	}
	// Behind the first slash an @ belongs to the path, unless the password has slashes: then nothing before is a host.
	if u, err := url.Parse(text); err == nil && u.User == nil {
		return "", false
	}
	authority := rest
	if end := strings.IndexAny(rest, "/?# \t\r\n"); end >= 0 && strings.Contains(rest[:end], "@") {
		authority = rest[:end]
	}
	at := strings.LastIndexByte(authority, '@')
	return rest[:max(at, 0)], at >= 0
}

// unescaped returns a value as written, and unescaped.
func unescaped(value string) []string {
	if meant, err := url.PathUnescape(value); err == nil && meant != value {
		return []string{value, meant}
	}
	return []string{value}
}
