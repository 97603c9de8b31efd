package diag

import "slices"

// foreignNames maps names of fields in other tools to possible names here. The first that is known at the position is
// used.
var foreignNames = map[string][]string{
	"assert":  {"assertions", "conversation_assertions"},
	"asserts": {"assertions", "conversation_assertions"},
	"expect":  {"assertions", "expected"},
	"expects": {"assertions"}, "expectations": {"assertions"}, "checks": {"assertions"}, "validations": {"assertions"},
	"repeat": {"trials"}, "repeats": {"trials"}, "runs": {"trials"}, "n": {"trials"}, "iterations": {"trials"},
	"gate": {"trials"}, "pass_rate": {"trials"}, "min_pass_rate": {"pass_rate", "trials"},
	"success_rate": {"pass_rate", "trials"}, "max_trials": {"max", "trials"},
	"num_trials": {"trials"}, "times": {"trials"}, "samples": {"trials"},
	"system": {"system_template"}, "system_prompt": {"system_template"}, "instructions": {"system_template"},
	"system_message": {"system_template"}, "prompt_template": {"system_template"}, "template": {"system_template"},
	"api_key": {"credential"}, "apikey": {"credential"}, "token": {"credential"}, "auth": {"credential"},
	"api_base": {"base_url"}, "endpoint": {"base_url", "url"}, "host": {"base_url"}, "url": {"base_url"},
	"max_cost": {"max_cost_usd"}, "budget": {"max_cost_usd"},
	"vars": {"variables"}, "inputs": {"variables"},
	"input": {"content"}, "prompt": {"content", "task_type"}, "message": {"content"}, "text": {"content"},
	"query": {"content"}, "question": {"content"}, "user": {"content"},
	"conversation": {"turns"}, "dialog": {"turns"}, "dialogue": {"turns"}, "steps": {"turns"},
	"provider": {"providers"}, "llm": {"providers"}, "model": {"providers"}, "models": {"providers"},
	"threshold": {"min_score"}, "parallel": {"concurrency"}, "max_concurrency": {"concurrency"}, "jobs": {"concurrency"},
	"tools": {"allowed_tools"}, "functions": {"allowed_tools"}, "arguments": {"args"},
	"schema": {"input_schema"}, "parameters": {"input_schema"}, "args_schema": {"input_schema"},
	"guardrails": {"validators"}, "guards": {"validators"}, "label": {"message"}, "title": {"name", "description"},
}

// ForeignName is the field, of those that are known, for which other tools have a name; "" is none.
func ForeignName(name string, known []string) string {
	for _, meant := range foreignNames[fold(name)] {
		if slices.Contains(known, meant) {
			return meant
		}
	}
	return ""
}
