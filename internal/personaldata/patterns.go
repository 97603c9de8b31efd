// Package personaldata finds personal data in texts by its form.
package personaldata

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Pattern is a kind of personal data with a recognisable form.
type Pattern struct {
	Name string
	What string // as an explanation calls it
	// ByDefault is set for those that are hardly ever anything else.
	ByDefault bool
	in        func(text string) bool
}

// In reports whether a text contains such data, also with typographic blanks and dashes, invisible characters, or
// full-width letters and digits.
func (p *Pattern) In(text string) bool { return p.in(plain(text)) }

// plain is a text with the blanks, dashes, letters and digits of ASCII in place of their variants, and without
// characters that cannot be seen.
func plain(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	const wideFirst, wideLast, minus = '\uff01', '\uff5e', '\u2212'
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.Is(unicode.Pd, r), r == minus:
			return '-'
		case wideFirst <= r && r <= wideLast:
			return r - wideFirst + '!'
		}
		return r
	}, text)
}

// Patterns are all patterns, in the order in which reports name them.
var Patterns = []*Pattern{
	{"email", "an e-mail address", true, hasEmail},
	{"ssn", "a US social security number", true, hasSSN},
	{"credit_card", "a payment card number", true, hasCard},
	{"iban", "a bank account number (IBAN)", true, hasIBAN},
	{"phone", "a telephone number", false, hasPhone},
	{"ipv4", "an IP address", false, hasIPv4},
}

var (
	email = lazyRegexp(`[\p{L}\p{N}][\p{L}\p{N}._%+-]*@(?:[\p{L}\p{N}][\p{L}\p{N}-]*\.)+\p{L}{2,}`)
	ssn   = lazyRegexp(`\b\d{3}-\d{2}-\d{4}\b`)
	card  = lazyRegexp(`\b(?:\d{4}[ -]?){3}\d{4}\b`)
	// otherCard are cards that have no sixteen digits: American Express, Diners Club, and the long ones.
	otherCard = lazyRegexp(`\b(?:3[47]\d\d[ -]?\d{6}[ -]?\d{5}|3(?:0[0-5]|[689]\d)\d[ -]?\d{6}[ -]?\d{4}` +
		`|[46]\d{3}(?:[ -]?\d{4}){3}[ -]?\d{3})\b`)
	ibanStart = lazyRegexp(`\b[A-Za-z]{2}\d{2}`)
	phone     = lazyRegexp(`\+[1-9]\d{0,3}(?:[ .-]?\(?\d{1,5}\)?){1,7}\b`)
	ipv4      = lazyRegexp(`\b\d{1,3}(?:\.\d{1,3})+\b`)
)

func lazyRegexp(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// hasEmail passes over what is only written like an address: logins in URLs, git and ssh remotes, and image files such
// as logo@2x.png.
func hasEmail(text string) bool {
	if !strings.Contains(text, "@") {
		return false
	}
	for _, at := range email().FindAllStringIndex(text, -1) {
		before, found, after := text[:at[0]], text[at[0]:at[1]], text[at[1]:]
		remote := len(after) > 1 && after[0] == ':' && after[1] > ' '
		if !remote && !strings.HasSuffix(before, "//") && !isImageFile(found) {
			return true
		}
	}
	return false
}

func isImageFile(name string) bool {
	suffix := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return slices.Contains([]string{"avif", "gif", "jpeg", "jpg", "png", "svg", "webp"}, suffix)
}

func hasSSN(text string) bool { return strings.Contains(text, "-") && ssn().MatchString(text) }

func hasCard(text string) bool {
	if !strings.ContainsAny(text, "0123456789") {
		return false
	}
	if card().MatchString(text) {
		return true
	}
	return slices.ContainsFunc(otherCard().FindAllString(text, -1), luhn)
}

// luhn reports whether the last digit of a number is the check digit of the others. Spaces and dashes do not count.
func luhn(number string) bool {
	sum, double := 0, false
	for i := len(number) - 1; i >= 0; i-- {
		if number[i] < '0' || number[i] > '9' {
			continue
		}
		d := int(number[i] - '0')
		if double {
			d *= 2
			if d > 9 {
				d -= 9
			}
		}
		sum, double = sum+d, !double
	}
	return sum%10 == 0
}

// hasIBAN looks for account numbers that have the length of their country and the right check digits.
func hasIBAN(text string) bool {
	if !strings.ContainsAny(text, "0123456789") {
		return false
	}
	for _, at := range ibanStart().FindAllStringIndex(text, -1) {
		if isIBAN(text[at[0]:]) {
			return true
		}
	}
	return false
}

// isIBAN reports whether a text begins with an IBAN, with or without single spaces in it, that ends with a word.
func isIBAN(text string) bool {
	const longest = 34
	var compact [longest]byte
	length := ibanLengths()[strings.ToUpper(text[:2])]
	if length == 0 {
		return false
	}
	n, i := 0, 0
	for ; i < len(text) && n < length; i++ {
		c := text[i] &^ 0x20 // letters in upper case, a space as 0
		switch {
		case '0' <= text[i] && text[i] <= '9':
			compact[n] = text[i]
			n++
		case 'A' <= c && c <= 'Z':
			compact[n] = c
			n++
		case text[i] == ' ' && i > 0 && text[i-1] != ' ':
		default:
			return false
		}
	}
	ends := i == len(text) || !isWordByte(text[i])
	return n == length && ends && mod97(compact[4:n], compact[:4]) == 1
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// mod97 is the remainder of a number in which letters stand for 10 to 35.
func mod97(texts ...[]byte) (rest int) {
	for _, text := range texts {
		for _, c := range text {
			if c >= 'A' {
				rest = (rest*100 + int(c-'A') + 10) % 97
			} else {
				rest = (rest*10 + int(c-'0')) % 97
			}
		}
	}
	return rest
}

// ibanLengths maps countries to how long their IBANs are (https://www.swift.com/standards/data-standards/iban).
var ibanLengths = sync.OnceValue(func() map[string]int {
	const registry = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 " +
		"DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 " +
		"IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 " +
		"MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 " +
		"SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
	m := map[string]int{}
	for entry := range strings.FieldsSeq(registry) {
		m[entry[:2]] = int(entry[2]-'0')*10 + int(entry[3]-'0')
	}
	return m
})

// hasPhone looks for numbers in the international form, +1 202 555 0143, of 8 to 15 digits (E.164).
func hasPhone(text string) bool {
	if !strings.Contains(text, "+") {
		return false
	}
	for _, found := range phone().FindAllString(text, -1) {
		digits := 0
		for i := range len(found) {
			if '0' <= found[i] && found[i] <= '9' {
				digits++
			}
		}
		if 8 <= digits && digits <= 15 {
			return true
		}
	}
	return false
}

// hasIPv4 looks for addresses that are reachable from everywhere. Private and reserved ones point to no one.
func hasIPv4(text string) bool {
	for _, found := range ipv4().FindAllString(text, -1) {
		addr, err := netip.ParseAddr(found)
		if err == nil && addr.IsGlobalUnicast() && !addr.IsPrivate() && !isDocumentation(addr) {
			return true
		}
	}
	return false
}

// isDocumentation reports whether an address is one of those for examples (RFC 5737).
func isDocumentation(addr netip.Addr) bool {
	for _, text := range []string{"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"} {
		if netip.MustParsePrefix(text).Contains(addr) {
			return true
		}
	}
	return false
}
