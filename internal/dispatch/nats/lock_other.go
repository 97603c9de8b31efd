//go:build !unix

package nats

import "os"

// lock does nothing where files cannot be locked in this way.
func lock(*os.File) error { return nil }
