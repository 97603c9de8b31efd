package process

import (
	"slices"
	"strings"
)

// inheritedNames are the variables that programs need to run at all and that hold no secrets.
var inheritedNames = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ",
	"LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_COLLATE", "LC_NUMERIC", "LC_TIME",
	"TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	"VIRTUAL_ENV", "PYTHONPATH", "PYTHONUTF8", "PYTHONIOENCODING", "NODE_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
}

// windowsNames are those of Windows, where the case of a name does not matter.
var windowsNames = []string{
	"Path", "SystemRoot", "SystemDrive", "ComSpec", "windir", "ProgramData", "ProgramFiles",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
	"PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// Inherited are the variables that every program gets if they are set. On Windows programs also get those without which
// nothing runs.
func Inherited() []string { return slices.Clone(inheritedNames) }

// Environment returns the environment of a program: the variables that every program needs (PATH, HOME, LANG, TMPDIR
// and so on), and those of given. An entry NAME=value sets a variable, a bare NAME passes one on. The program gets
// nothing else, so that it does not see the keys of providers. missing are bare names that are not set.
func Environment(getenv func(name string) (string, bool), given []string) (env, missing []string) {
	own := make(map[string]bool, len(given))
	for _, entry := range given {
		name, _, _ := strings.Cut(entry, "=")
		own[name] = true
	}
	for _, name := range slices.Concat(inheritedNames, windowsNames) {
		if value, set := getenv(name); set && !own[name] {
			env = append(env, name+"="+value)
		}
	}
	for _, entry := range given {
		if strings.Contains(entry, "=") {
			env = append(env, entry)
			continue
		}
		value, set := getenv(entry)
		if !set {
			missing = append(missing, entry)
			continue
		}
		env = append(env, entry+"="+value)
	}
	return env, missing
}
