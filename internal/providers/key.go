package providers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/scenario"
)

const maxKeyBytes = 16 << 10

// Key is a credential and where it came from. Its zero value is no key.
type Key struct {
	Value string
	From  string // for messages: a variable or a setting, never the key
}

// FindKey looks for the key of a provider: credential.api_key, else credential_file, else the variable that
// credential_env names, else the first of the default variables that is set. No key at all is no error; a credential
// that is named but not there is one, of kind Auth.
func FindKey(p *scenario.Provider, getenv func(string) (string, bool), defaults ...string) (Key, error) {
	key, err := findKey(p, getenv, defaults)
	switch {
	case err != nil:
	case strings.ContainsFunc(key.Value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		err = fmt.Errorf("the key from %s holds a line break or another control character", key.From)
	case strings.ContainsFunc(key.Value, func(r rune) bool { return r == ' ' || r > 0x7f }):
		err = fmt.Errorf("the key from %s has a space or a character that keys do not have: was it copied correctly?",
			key.From)
	}
	if err != nil {
		return Key{}, &Error{Kind: Auth, Provider: p.ID, Msg: err.Error(), Final: true}
	}
	return key, nil
}

func findKey(p *scenario.Provider, getenv func(string) (string, bool), defaults []string) (Key, error) {
	switch {
	case p.APIKey != "":
		return checkedKey(p.APIKey, "credential.api_key")
	case p.KeyFile != "":
		value, err := readKey(p.KeyFile)
		return Key{value, "the file " + p.KeyFile}, err
	case p.KeyEnv != "":
		value, set := lookup(getenv, p.KeyEnv)
		if value == "" {
			return Key{}, fmt.Errorf("the environment variable %s, named by credential_env, is %s: "+
				"set it, or write it into .env", p.KeyEnv, absent(set))
		}
		return checkedKey(value, p.KeyEnv)
	}
	for _, name := range defaults {
		if value, _ := lookup(getenv, name); value != "" {
			return checkedKey(value, name)
		}
	}
	return Key{}, nil
}

// checkedKey is a key without blanks around it. A blank key is an error, and so is one with a line end, which was
// pasted or read wrongly.
func checkedKey(value, from string) (Key, error) {
	key := strings.Trim(value, " \t")
	if strings.TrimSpace(key) == "" {
		return Key{}, fmt.Errorf("the key from %s is blank", from)
	}
	return Key{key, from}, nil
}

func lookup(getenv func(string) (string, bool), name string) (string, bool) {
	if getenv == nil {
		return "", false
	}
	return getenv(name)
}

func absent(set bool) string {
	if set {
		return "empty"
	}
	return "not set"
}

func readKey(path string) (string, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return "", fmt.Errorf("credential_file: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKeyBytes+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("credential_file: %w", err)
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 || len(data) > maxKeyBytes {
		return "", fmt.Errorf("credential_file %s must hold one key, found %d bytes", path, len(data))
	}
	return string(data), nil
}
