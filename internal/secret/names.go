package secret

import (
	"slices"
	"strings"
)

// secretWords are words in the names of credentials.
var secretWords = []string{
	"key", "apikey", "token", "accesstoken", "secret", "secrets", "password", "passwd", "pass", "passphrase", "pwd", "pw",
	"auth", "authorization", "credential", "credentials", "creds", "pat", "cookie", "session", "sig", "signature", "jwt",
	"bearer", "sas",
}

// secretEnds are those with which other words end that say the same: PGPASSWORD, githubToken.
var secretEnds = []string{
	"apikey", "accesskey", "secretkey", "privatekey", "accountkey", "authkey", "token", "secret", "password", "passwd",
	"passphrase", "pwd", "credential", "credentials",
}

// NamesSecret reports whether a variable, a header or a parameter is of those that hold credentials, by its name.
func NamesSecret(name string) bool {
	separator := func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' }
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), separator) {
		if isSecretWord(word) {
			return true
		}
	}
	return false
}

// CallsSecret reports whether a name is that of a credential: it ends with such a word, unlike key_name and
// token_limit.
func CallsSecret(name string) bool {
	name = strings.ToLower(name)
	return isSecretWord(name[strings.LastIndexAny(name, "_-. ")+1:])
}

func isSecretWord(word string) bool {
	return slices.Contains(secretWords, word) ||
		slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(word, end) })
}
