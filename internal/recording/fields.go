package recording

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// fieldNames are the fields that an object may have. The content of any other field would be lost, and a check that
// forbids this content would pass.
type fieldNames struct {
	names  []string // as in documents
	folded func() map[string]bool
}

func newFieldNames(text string) *fieldNames {
	v := &fieldNames{names: strings.Fields(text)}
	v.folded = sync.OnceValue(func() map[string]bool {
		folded := make(map[string]bool, len(v.names))
		for _, name := range v.names {
			folded[foldKey([]byte(name))] = true
		}
		return folded
	})
	return v
}

// newLazyFields makes the fields of a kind of object when they are first needed.
func newLazyFields(text string) func() *fieldNames {
	return sync.OnceValue(func() *fieldNames { return newFieldNames(text) })
}

// The members of messages in the formats, and those that chat APIs and agents add. The added ones hold no words of the
// conversation; most are not read.
var (
	messageFields = sync.OnceValue(func() *fieldNames {
		return newFieldNames(`role content parts tool_calls function_call tool_result tool_call_id call_id refusal name
			tool_name error error_type is_error latency_ms finish_reason stop_reason stop_sequence usage cost cost_info cost_usd
			model_calls untold left_out generated cached state validations original opaque meta metadata timestamp created_at
			time created index id type object model provider source status reasoning reasoning_content reasoning_details
			thinking thinking_blocks thinking_signature signature annotations citations media_summary message_id weight
			cache_control logprobs container context_management content_filter_results service_tier system_fingerprint`)
	})
	partFields = sync.OnceValue(func() *fieldNames {
		return newFieldNames(`type text content refusal media source image_url detail input_audio file file_data filename
			file_id mime_type media_type uri url data path width height duration caption format id index name title context
			annotations citations cache_control logprobs signature metadata modality`)
	})
	mediaFields = sync.OnceValue(func() *fieldNames {
		return newFieldNames(`type mime_type media_type format data uri url path file_path storage_reference sha256 detail
			caption width height duration size size_kb size_bytes bit_rate channels sample_rate fps filename name title
			policy_name source`)
	})
	callFields = sync.OnceValue(func() *fieldNames {
		return newFieldNames(`id call_id tool_call_id tool_use_id type function name tool_name args arguments input bad_args
			opaque index status caller cache_control provider_executed server_name signature thought_signature extra_content
			provider_metadata metadata`)
	})
	resultFields = sync.OnceValue(func() *fieldNames {
		return newFieldNames(`id call_id tool_call_id tool_use_id type name tool_name content parts response result error
			error_type is_error latency_ms role timestamp status cache_control metadata agent`)
	})
	turnFields = sync.OnceValue(func() *fieldNames {
		return newFieldNames(`turn_index timestamp user_message response tool_results assertions latency_ms duration_ms
			duration cost metadata error`)
	})
	responseFields = sync.OnceValue(func() *fieldNames {
		return newFieldNames(`message cost latency_ms duration_ms duration finish_reason timestamp metadata error provider
			model`)
	})
	spanFields = sync.OnceValue(func() *fieldNames {
		return newFieldNames(`trace_id span_id trace_state parent_span_id flags name kind start_time_unix_nano
			end_time_unix_nano attributes dropped_attributes_count events dropped_events_count links dropped_links_count status`)
	})
	exportFields = sync.OnceValue(func() *fieldNames {
		return newFieldNames(`resource_spans resource scope_spans instrumentation_library_spans scope
			instrumentation_library spans schema_url resource_metrics resource_logs`)
	})
	trialTurnFields = sync.OnceValue(func() *fieldNames {
		return newFieldNames(`index scripted persona ended user assistant not_run error messages tool_calls assertions
			latency_ms streamed guardrails guard_judgements composition`)
	})
)

// unknownElsewhere says where a field of no format may be put.
const unknownElsewhere = `what belongs to no message can stand under "metadata"`

// checkFields reports unknown fields of an object that have content.
func (b *builder) checkFields(o object, what string, known *fieldNames) {
	b.checkFieldsWith(o, what, known, func(written string) string {
		return cmp.Or(fieldHint(foldKey([]byte(written))), diag.DidYouMean(written, known.names), unknownElsewhere)
	})
}

// checkFieldsWith is checkFields with hints of its own.
func (b *builder) checkFieldsWith(o object, what string, known *fieldNames, hint func(written string) string) {
	folded := known.folded()
	var unknown []string
	for name, member := range o.members {
		if !folded[name] && !isEmpty(member) {
			unknown = append(unknown, name)
		}
	}
	slices.SortFunc(unknown, func(x, y string) int {
		if d := o.members[x].at - o.members[y].at; d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	for _, name := range unknown {
		written := cutText(o.originalKey(name), 40)
		b.errorf(o.members[name], "unknown-field",
			"%s has an unknown field %q, whose content would be lost", what, written).Hint = hint(written)
	}
}

// checkTexts reports unknown fields of an object that have content, except numbers and booleans: APIs get new ones.
func (b *builder) checkTexts(o object, what string, known *fieldNames) {
	members := map[string]value{}
	for name, member := range o.members {
		if kind := member.kind(); kind == '"' || kind == '[' || kind == '{' {
			members[name] = member
		}
	}
	b.checkFields(object{o.value, members}, what, known)
}

// originalKey is the name of a field as in the file.
func (o object) originalKey(folded string) string {
	for key := range o.value.members {
		if foldKey(key) == folded {
			return string(key)
		}
	}
	return folded
}

// fieldHint says where to move content that is often written under another name; "" for other names.
func fieldHint(name string) string {
	switch name {
	case "text", "message", "value", "body", "output", "reply", "response", "answer", "completion":
		return `words stand under "content", of a part under "text"`
	case "calls", "tools", "tooluse", "tooluses", "toolinvocations", "functions":
		return `calls of tools stand under "tool_calls"`
	}
	return ""
}

// isEmpty reports whether a value has no content.
func isEmpty(v value) bool {
	switch v.kind() {
	case 0, 'n':
		return true
	case '"':
		return len(v.text) == 2
	case '[', '{':
		return jsonvalue.SkipSpace(v.text, 1) == len(v.text)-1
	}
	return false
}

// checkFields reports unknown fields of an object that have content.
func (s *scan) checkFields(v value, p span, what string, known *fieldNames) {
	for key, member := range v.members {
		if known.folded()[foldKey(key)] || isEmpty(member) {
			continue
		}
		name := cutText(string(key), 40)
		s.errorf(s.pos(p), "unknown-field", "%s has an unknown field %q, whose content would be lost", what, name).
			Hint = diag.DidYouMean(name, known.names)
	}
}
