package secret

import "strings"

// NamesSecret reports whether a variable, a header or a parameter is of those that hold credentials, by its name.
func NamesSecret(name string) bool {
	separator := func(r rune) bool { return r == '_' || r == '-' || r == '.' }
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), separator) {
		switch word {
		case "key", "apikey", "token", "accesstoken", "secret", "secrets", "password", "passwd", "pass", "passphrase", "pwd",
			"pw", "auth", "authorization", "credential", "credentials", "creds", "pat", "cookie", "session", "sig", "signature",
			"jwt", "bearer", "sas":
			return true
		}
	}
	return false
}
