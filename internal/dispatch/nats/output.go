package nats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/filelock"
)

// Output copies the messages of a stream into a file, a line each: all of them, in order, and each once, also across
// restarts and crashes. Only one process at a time can open the file.
type Output struct {
	file   *os.File
	client *Client
	stream string
	filter string
	key    string // of the sequence number that is added to each line
	seq    uint64 // of the stream, in the last line
	id     string // of the last line
}

// lineHead is the part of a message that identifies its line.
type lineHead struct {
	Result string `json:"result_id"`
	Dead   string `json:"dead_id"`
}

// ResultsOutput opens a file for results.
func (c *Client) ResultsOutput(path string) (*Output, error) {
	return c.output(path, c.Results, c.allResults(), "stream_seq")
}

// DeadOutput opens a file for dead letters. The stream_seq of a letter is the sequence of its request.
func (c *Client) DeadOutput(path string) (*Output, error) {
	return c.output(path, c.Names.Dead, c.allDead(), "dead_seq")
}

func (c *Client) output(path, stream, filter, key string) (*Output, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	o := &Output{file: file, client: c, stream: stream, filter: filter, key: key}
	if err := filelock.Lock(file); err != nil {
		if errors.Is(err, filelock.ErrLocked) {
			err = errors.New("another process writes it; give each worker a file of its own")
		}
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	if err := o.resume(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return o, nil
}

// resume finds the last complete line and removes an incomplete one after it.
func (o *Output) resume() error {
	size, err := o.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	end, line, err := lastLine(o.file, size)
	if err != nil {
		return err
	}
	if len(line) > 0 {
		var head lineHead
		if o.seq = sequence(line); json.Unmarshal(line, &head) != nil || o.seq == 0 {
			return errors.New("its last line was not written by a worker; name another file")
		}
		o.id = head.Result + head.Dead
	}
	if end < size {
		if err := o.file.Truncate(end); err != nil {
			return err
		}
	}
	_, err = o.file.Seek(end, io.SeekStart)
	return err
}

// sequence is the sequence number at the start of a line; 0: none. Older files of dead letters use the key of results.
func sequence(line []byte) (seq uint64) {
	for _, key := range []string{"stream_seq", "dead_seq"} {
		if n, _ := fmt.Sscanf(string(line[:min(len(line), 40)]), `{"`+key+`":%d`, &seq); n == 1 { // else the other key
			return seq
		}
	}
	return 0
}

// lastLine returns the last complete line, and the offset after it.
func lastLine(file io.ReaderAt, size int64) (end int64, line []byte, err error) {
	const step = 1 << 16
	var tail []byte
	for at := size; at > 0; {
		n := min(at, step)
		at -= n
		piece := make([]byte, n, int(n)+len(tail))
		if _, err := file.ReadAt(piece, at); err != nil {
			return 0, nil, err
		}
		tail = append(piece, tail...)
		stop := bytes.LastIndexByte(tail, '\n')
		if stop < 0 {
			continue
		}
		start := bytes.LastIndexByte(tail[:stop], '\n')
		if start >= 0 || at == 0 {
			return at + int64(stop) + 1, tail[start+1 : stop], nil
		}
	}
	return 0, nil, nil
}

// Copy copies until ctx ends. It fails when the file was copied from another stream.
func (o *Output) Copy(ctx context.Context) error {
	if err := o.checkSameStream(ctx); err != nil {
		return err
	}
	return o.client.follow(ctx, o.stream, o.filter, o.seq+1, o.write)
}

// CatchUp copies the messages that the stream holds now.
func (o *Output) CatchUp(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	last, err := o.client.last(ctx, o.stream)
	if err != nil || o.seq >= last {
		return err
	}
	err = o.client.follow(ctx, o.stream, o.filter, o.seq+1, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
		if err := o.write(msg, meta); err != nil {
			return err
		}
		if meta.Sequence.Stream >= last {
			return errCaughtUp
		}
		return nil
	})
	if err == nil {
		return fmt.Errorf("%s: not everything that the stream %s holds could be copied in %s; the next worker goes on",
			o.file.Name(), o.stream, limit)
	}
	if errors.Is(err, errCaughtUp) {
		return nil
	}
	return err
}

var errCaughtUp = errors.New("everything is copied")

// checkSameStream compares the last line with the stream, to refuse a file that was copied from another one.
func (o *Output) checkSameStream(ctx context.Context) error {
	if o.seq == 0 {
		return nil
	}
	return o.client.retry(ctx, func(ctx context.Context) error {
		s, err := o.client.js.Stream(ctx, o.stream)
		if err != nil {
			return err
		}
		other := &Error{fmt.Sprintf("%s was copied from another stream than this %s of %s; name another file",
			o.file.Name(), o.stream, o.client.address.shown), nil}
		if s.CachedInfo().State.LastSeq < o.seq {
			return other
		}
		msg, err := s.GetMsg(ctx, o.seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil // the stream does not hold it any more
		}
		var head lineHead
		if err == nil && (json.Unmarshal(msg.Data, &head) != nil || head.Result+head.Dead != o.id) {
			return other
		}
		return err
	})
}

// write appends a message as a line that begins with its sequence number.
func (o *Output) write(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
	data := bytes.TrimSpace(msg.Data())
	seq := meta.Sequence.Stream
	if !json.Valid(data) || len(data) < 2 || data[0] != '{' || bytes.IndexByte(data, '\n') >= 0 {
		data = fmt.Appendf(nil, `{"unreadable":%q}`, "a message that no worker wrote") // another program publishes there
	}
	line := fmt.Appendf(nil, `{%q:%d`, o.key, seq)
	if len(data) > 2 {
		line = append(line, ',')
	}
	line = append(append(line, data[1:]...), '\n')
	if _, err := o.file.Write(line); err != nil {
		return fmt.Errorf("write %s: %w", o.file.Name(), err)
	}
	o.seq = seq
	return nil
}

// Close closes the file.
func (o *Output) Close() error { return o.file.Close() }
