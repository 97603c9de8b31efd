package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/plainfile"
)

// brokerFlags are the address of the broker and the credentials for it.
type brokerFlags struct {
	url                  string
	stream               string
	creds, ca, cert, key string
}

func (f *brokerFlags) register(fl *pflag.FlagSet, urlFlag, about string) {
	fl.StringVar(&f.url, urlFlag, "", about)
	fl.StringVar(&f.stream, "stream", nats.DefaultStream, "`name` of the stream of requests; NAME_RESULTS and NAME_DEAD\n"+
		"go with it")
	fl.StringVar(&f.creds, "nats-creds", "", "NATS credentials `file` of a user")
	fl.StringVar(&f.ca, "nats-ca", "", "certificates `file` to verify the broker's with (default: the system's)")
	fl.StringVar(&f.cert, "nats-cert", "", "client certificate `file`, with --nats-key")
	fl.StringVar(&f.key, "nats-key", "", "key `file` of the client certificate")
}

// complete checks the values.
func (f *brokerFlags) complete(urlFlag string) error {
	errs := []error{}
	if err := nats.CheckURL(f.url); err != nil {
		errs = append(errs, fmt.Errorf("--%s: %w", urlFlag, err))
	}
	if _, err := nats.NamesOf(f.stream); err != nil {
		errs = append(errs, fmt.Errorf("--stream: %w", err))
	}
	if (f.cert == "") != (f.key == "") {
		errs = append(errs, errors.New("--nats-cert and --nats-key go together"))
	}
	for _, file := range []struct{ flag, path string }{
		{"nats-creds", f.creds}, {"nats-ca", f.ca}, {"nats-cert", f.cert}, {"nats-key", f.key},
	} {
		if file.path == "" {
			continue
		}
		switch err := plainfile.Check(file.path); {
		case errors.Is(err, fs.ErrNotExist):
			errs = append(errs, fmt.Errorf("--%s: there is no file %q", file.flag, file.path))
		case err != nil:
			errs = append(errs, fmt.Errorf("--%s: %w", file.flag, err))
		}
	}
	return errors.Join(errs...)
}

// options returns the options of a connection with a name.
func (f *brokerFlags) options(name string, patience time.Duration, tell func(string)) nats.Options {
	return nats.Options{
		URL: f.url, CredsFile: f.creds, CAFile: f.ca, CertFile: f.cert, KeyFile: f.key, Stream: f.stream,
		Name: name, Patience: patience, Notify: tell,
	}
}

// workerName identifies this worker: machine and process.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%s-%d", cmp.Or(strings.TrimSpace(host), "worker"), os.Getpid())
}
