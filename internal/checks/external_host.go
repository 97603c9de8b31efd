package checks

import (
	"net/http"
	"sync"
)

// Host is what checks may use outside the process. It is safe for concurrent use, and must not be copied.
type Host struct {
	HTTP   *http.Client // nil: no network
	Getenv func(name string) (string, bool)

	Classifiers   []Classifier      // classifiers for texts and media, the default first
	ClassifierOf  map[string]string // ids that the project chose for text, image and audio
	NoClassifiers error             // why there are no classifiers; nil: none is configured

	agents sync.Map // base address of an A2A agent → endpoint on its card
}
