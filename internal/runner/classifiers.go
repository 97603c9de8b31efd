package runner

import (
	"cmp"
	"errors"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// classifierURL is where models are asked for which no base_url is written.
const classifierURL = "https://router.huggingface.co/hf-inference"

// errMockedClassifier: checks could pass on invented labels.
var errMockedClassifier = errors.New("every provider is replaced by the mock, which classifies nothing")

// classifiers are the providers of a project that sort texts and media under labels.
func classifiers(p *scenario.Project, getenv func(string) (string, bool)) (all []checks.Classifier) {
	for _, q := range p.Providers {
		if !q.Classifies() {
			continue
		}
		c := checks.Classifier{
			ID: q.ID, Alias: q.Alias, URL: cmp.Or(q.BaseURL, classifierURL), Timeout: q.RequestTimeout,
		}
		key, err := providers.FindKey(q, getenv, "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
		if c.Key, c.Err = key.Value, err; err == nil && len(q.Unset) > 0 {
			c.Err = errors.New("its base_url holds a variable that is not set")
		}
		all = append(all, c)
	}
	return all
}
