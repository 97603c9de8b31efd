package plainfile

import (
	"os"
	"path/filepath"
)

// InTheWay is a file in the place of the folder or of one of its parents; "": none.
func InTheWay(dir string) string {
	for path := filepath.Clean(dir); ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() {
			return path
		}
		if err == nil || path == filepath.Dir(path) {
			return ""
		}
	}
}
