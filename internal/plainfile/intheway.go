package plainfile

import (
	"os"
	"path/filepath"
)

// InTheWay is the file that stands where a folder is wanted, or where one above it would have to be; "" is none.
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
