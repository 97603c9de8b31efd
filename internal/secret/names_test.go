package secret

import "testing"

// TestNamesSecret tells names of credentials from others, also where words are written as one.
func TestNamesSecret(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"API_KEY", "DB_PASS", "MYSQL_PWD", "PGPASSWORD", "GITHUBTOKEN", "githubToken", "OPENAI_APIKEY", "OPENAIAPIKEY",
		"REDISCLI_AUTH", "clientSecret", "AccountKey", "MYPASSPHRASE", "Set-Cookie", "User Password",
		"AWSSECRETACCESSKEY", "dbpwd",
	} {
		if !NamesSecret(name) {
			t.Errorf("%s is the name of no secret", name)
		}
	}
	for _, name := range []string{
		"KEYBOARD", "MONKEY", "TOKENIZER", "MAX_TOKENS", "SECRETARY", "PASSAGE", "AUTHOR", "PATH", "CWD", "INIT_CWD",
		"COMPASS", "SESSIONS", "TOKENS", "passwordless", "",
	} {
		if NamesSecret(name) {
			t.Errorf("%s is the name of a secret", name)
		}
	}
	for name, want := range map[string]bool{
		"api-key": true, "token": true, "db.password": true, "key-name": false, "token_limit": false, "auth-method": false,
		"session-name": false, "PGPASSWORD": true,
	} {
		if CallsSecret(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
