// Package conformance runs test vectors of arena's checks, and of the parts around them: inputs with the verdicts that
// are right for them. It is the only package that knows their format.
package conformance

import (
	"context"
	"slices"
)

// Run runs the vectors of the files; of a folder those in files that end in .json.
func Run(ctx context.Context, paths ...string) (*Agreement, error) {
	vectors, err := Read(paths...)
	if err != nil {
		return nil, err
	}
	files, err := ReadVectors(vectors.Checks...)
	if err != nil {
		return nil, err
	}
	a, err := Verify(ctx, files)
	if err != nil {
		return nil, err
	}
	vectors.Run(ctx, Topics(), a)
	return a, nil
}

// Topics are all that vectors can be about beside checks.
func Topics() []Topic {
	return slices.Concat(decisionTopics(), guardrailTopics(), evalTopics(), []Topic{NewTopic("metrics", judgeMetric)})
}
