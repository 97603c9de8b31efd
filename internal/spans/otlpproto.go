package spans

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Protobuf reads an export of OTLP as protobuf. At invalid data it returns an error, after it passed on the spans
// before.
func Protobuf(data []byte, visit SpanFunc) error {
	return fields(data, func(f field) error {
		if f.number != 1 {
			return nil
		}
		return resourceProto(f.bytes, visit)
	})
}

// field is one of a message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	bytes  []byte // of a message, a text or bytes
	varint uint64 // of any number
}

// fields calls a function with each field of a message. Groups are left out.
func fields(data []byte, each func(field) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return fmt.Errorf("not protobuf: %w", protowire.ParseError(n))
		}
		f := field{number: number, kind: kind}
		data = data[n:]
		switch kind {
		case protowire.VarintType:
			f.varint, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			f.varint, n = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(number, kind, data)
		}
		if n < 0 {
			return fmt.Errorf("not protobuf: %w", protowire.ParseError(n))
		}
		data = data[n:]
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// errType is the error of a field that has another type than OTLP gives it.
var errType = errors.New("not an export of traces: a field has another type than OTLP gives it")

// message is the content of a field that must be a message, a text or bytes.
func (f *field) message() ([]byte, error) {
	if f.kind != protowire.BytesType {
		return nil, errType
	}
	return f.bytes, nil
}

func (f *field) text() string { return strings.ToValidUTF8(string(f.bytes), "\ufffd") }

func resourceProto(data []byte, visit SpanFunc) error {
	trial := ""
	err := fields(data, func(f field) error { // the resource may follow its spans
		if f.number != 1 {
			return nil
		}
		return fields(f.bytes, func(f field) error {
			if f.number != 1 {
				return nil
			}
			_, v, err := keyValueProto(f.bytes, func(key string) bool { return key == TrialAttribute })
			if v != nil {
				trial = v.scalar()
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	return fields(data, func(f field) error {
		if f.number != 2 && f.number != 1000 { // scopes, in the present and in an old version
			return nil
		}
		return fields(f.bytes, func(f field) error {
			if f.number != 2 {
				return nil
			}
			data, err := f.message()
			if err != nil {
				return err
			}
			s, err := spanProto(data)
			if err == nil {
				visit(trial, s)
			}
			return err
		})
	})
}

func spanProto(data []byte) (Span, error) {
	r := rawSpan{attrs: attributes{}}
	err := fields(data, func(f field) error {
		switch f.number { //nolint:exhaustive // a message has its own fields, not those names
		case 1, 2, 4, 5, 9, 11, 15:
			if f.kind != protowire.BytesType {
				return errType
			}
		case 7, 8:
			if f.kind != protowire.Fixed64Type {
				return errType
			}
		}
		switch f.number { //nolint:exhaustive // a message has its own fields, not those names
		case 1:
			r.Trace = id(hex.EncodeToString(f.bytes))
		case 2:
			r.ID = id(hex.EncodeToString(f.bytes))
		case 4:
			r.Parent = id(hex.EncodeToString(f.bytes))
		case 5:
			r.Name = f.text()
		case 7:
			r.Start = nanos(f.varint)
		case 8:
			r.End = nanos(f.varint)
		case 9:
			key, v, err := keyValueProto(f.bytes, func(key string) bool { return isRead(key) || nests(key) })
			if key != "" && v != nil {
				r.attrs.add(key, *v)
			}
			return err
		case 10:
			r.Dropped = int(min(f.varint, math.MaxInt32))
		case 11:
			return r.eventProto(f.bytes)
		case 15:
			return fields(f.bytes, func(f field) error {
				switch f.number { //nolint:exhaustive // a message has its own fields, not those names
				case 2:
					r.message = f.text()
				case 3:
					r.status(strconv.FormatUint(f.varint, 10))
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return Span{}, err
	}
	return r.read(), nil
}

// nanos is a time in nanoseconds since 1970; zero: none.
func nanos(n uint64) time.Time {
	if n == 0 || n > math.MaxInt64 {
		return time.Time{}
	}
	return time.Unix(0, int64(n)).UTC()
}

func (r *rawSpan) eventProto(data []byte) error {
	name, members := "", map[string]document{}
	err := fields(data, func(f field) error {
		if f.number == 2 {
			name = f.text()
		}
		return nil
	})
	if err != nil || !r.noteEvent(name) {
		return err
	}
	err = fields(data, func(f field) error {
		if f.number != 3 {
			return nil
		}
		key, v, err := keyValueProto(f.bytes, func(string) bool { return true })
		if v != nil {
			members[key] = v.asJSON()
		}
		return err
	})
	r.event(members)
	return err
}

// keyValueProto reads an attribute. The value is nil for unwanted keys.
func keyValueProto(data []byte, wanted func(key string) bool) (key string, v *value, err error) {
	var raw []byte
	err = fields(data, func(f field) error {
		switch f.number { //nolint:exhaustive // a message has its own fields, not those names
		case 1:
			key = f.text()
		case 2:
			raw = f.bytes
		}
		return nil
	})
	if err != nil || !wanted(key) {
		return key, nil, err
	}
	read, err := anyProto(raw, 0)
	return key, &read, err
}

// anyProto reads a typed value.
func anyProto(data []byte, depth int) (v value, err error) {
	v = value{json: document("null")}
	if depth > deepest {
		return v, nil
	}
	err = fields(data, func(f field) error {
		switch f.number { //nolint:exhaustive // a message has its own fields, not those names
		case 1:
			v = value{text: f.text()}
		case 2:
			v = value{json: strconv.AppendBool(nil, f.varint != 0)}
		case 3:
			v = value{json: strconv.AppendInt(nil, int64(f.varint), 10)}
		case 4:
			v = value{json: numberText(math.Float64frombits(f.varint))}
		case 5, 6:
			list, err := listProto(f.bytes, f.number == 6, depth+1)
			v = value{json: list}
			return err
		case 7:
			v = value{text: base64.StdEncoding.EncodeToString(f.bytes)}
		}
		return nil
	})
	return v, err
}

// listProto reads a list of values, or of keys and values, as JSON.
func listProto(data []byte, keyed bool, depth int) (document, error) {
	out, end := document{'['}, byte(']')
	if keyed {
		out, end = document{'{'}, '}'
	}
	err := fields(data, func(f field) error {
		if f.number != 1 {
			return nil
		}
		raw := f.bytes
		if len(out) > 1 {
			out = append(out, ',')
		}
		if keyed {
			key := ""
			raw = nil
			err := fields(f.bytes, func(f field) error {
				switch f.number { //nolint:exhaustive // a message has its own fields, not those names
				case 1:
					key = f.text()
				case 2:
					raw = f.bytes
				}
				return nil
			})
			if err != nil {
				return err
			}
			out = append(append(out, quote(key)...), ':')
		}
		v, err := anyProto(raw, depth)
		out = append(out, v.asJSON()...)
		return err
	})
	return append(out, end), err
}
