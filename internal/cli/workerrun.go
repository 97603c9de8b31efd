package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/harness"
)

// work runs the worker, and copies results to files meanwhile if the user asked for it.
func (f *workerFlags) work(
	ctx, soft context.Context, client *nats.Client, w *nats.Worker, l *nats.Listener,
) error {
	outputs, err := f.outputs(client)
	if err != nil {
		return err
	}
	soft, stop := context.WithCancel(soft)
	defer stop()
	var heard error
	var listening sync.WaitGroup
	if l != nil {
		listening.Go(func() {
			if heard = l.Run(soft); heard != nil {
				stop()
			}
		})
	}
	copying, copied := context.WithCancel(ctx)
	defer copied()
	var copies sync.WaitGroup
	failures := make([]error, len(outputs))
	for i, o := range outputs {
		copies.Go(func() {
			if failures[i] = o.Copy(copying); failures[i] != nil {
				stop() // results that cannot be written are not worth their price
			}
		})
	}
	err = w.Run(soft, ctx)
	stop()
	listening.Wait()
	copied()
	copies.Wait()
	err = joinDistinct(append(failures, err, heard))
	for _, o := range outputs {
		if err == nil {
			err = o.CatchUp(ctx, catchUp)
		}
		err = errors.Join(err, o.Close())
	}
	return err
}

// joinDistinct joins errors and drops repeated texts: all parts of a worker report a lost broker.
func joinDistinct(errs []error) error {
	var kept []error
	for _, err := range errs {
		if err != nil && !slices.ContainsFunc(kept, func(other error) bool { return other.Error() == err.Error() }) {
			kept = append(kept, err)
		}
	}
	return errors.Join(kept...)
}

// catchUp is how long a worker waits at its end for results on their way to a file.
const catchUp = 30 * time.Second

// outputs opens the files of --output.
func (f *workerFlags) outputs(client *nats.Client) ([]*nats.Output, error) {
	if f.output == "" {
		return nil, nil
	}
	info, err := os.Stat(f.output)
	folder := err == nil && info.IsDir() || strings.HasSuffix(f.output, "/")
	if !folder {
		if err := harness.WritableDir(filepath.Dir(f.output)); err != nil {
			return nil, err
		}
		o, err := client.ResultsOutput(f.output)
		return []*nats.Output{o}, err
	}
	if err := harness.WritableDir(f.output); err != nil {
		return nil, err
	}
	results, err := client.ResultsOutput(filepath.Join(f.output, "results.jsonl"))
	if err != nil {
		return nil, err
	}
	dead, err := client.DeadOutput(filepath.Join(f.output, "dead.jsonl"))
	if err != nil {
		return nil, errors.Join(err, results.Close())
	}
	return []*nats.Output{results, dead}, nil
}
