package checks

import (
	"net/http"
	"sync"
)

// Host is what checks may use outside of the process. It is safe for concurrent use, and must not be copied.
type Host struct {
	HTTP   *http.Client // nil: no network
	Getenv func(name string) (string, bool)

	Classifiers   []Classifier      // by which checks may have texts and media classified, the first by default
	ClassifierOf  map[string]string // ids of those that the project chose for text, image and audio
	NoClassifiers error             // why there are none; nil: none is configured

	agents sync.Map // base address of an A2A agent → endpoint on its card
}
