package scenario

import (
	"github.com/arena-evals/arena/internal/keys"
	"maps"
	"sync"
)

// about is what an editor shows for a key; "" when its name says all.
func about(f keys.Table, key string) string { return keyTexts()[f][key] }

// keyTexts are the descriptions of keys by their table.
var keyTexts = sync.OnceValue(func() map[keys.Table]map[string]string {
	check := map[string]string{
		"type":    "Which check; `arena checks` lists them.",
		"params":  "The parameters of the check.",
		"message": "Why the check is there; reports show it as the headline.",
	}
	when := map[string]string{
		"when": "Skips the check, as passed, unless all of this holds for the tool calls in scope.",
	}
	scores := map[string]string{
		"min_score": "The lowest score that passes; without a threshold only 1 does.",
		"max_score": "The highest score that passes.",
	}
	params := map[string]string{
		"temperature": "How freely the model chooses, from 0 to 2.",
		"top_p":       "The share of probability from which the model chooses.",
		"max_tokens":  "The most tokens of a reply.",
	}
	calls := merged(params, map[string]string{
		"stop":                "Texts at which the reply ends, at most four.",
		"reasoning_effort":    "How long the model thinks before it answers; judges too.",
		"parallel_tool_calls": "Whether a reply may call several tools at once; left to the server when left out.",
		"response_format": "The form of the replies: text, json_object, or json_schema with the output_schema of the " +
			"scenario or the prompt.",
	})
	config := merged(calls, map[string]string{
		"strict_tools": "Has the server hold the arguments of tool calls to their schemas; every argument is required then.",
		"extra_body":   "Parameters that only this server knows; they go into each request as they are, judges' too.",
	})
	return map[keys.Table]map[string]string{
		envelopeFields: {
			"apiVersion": "The version of the format.", "metadata": "The name of the resource, and labels.",
			"spec": "The values.", "kind": "What the file describes.",
		},
		metaFields: {"name": "The id by which other files, filters and reports name it."},

		scenarioFields: {
			"description":             "What the conversation is about.",
			"task_type":               "The task type of the prompt under test.",
			"turns":                   "The conversation: what the user says, one entry after the other.",
			"conversation_assertions": "Checks over the whole conversation, after its last turn.",
			"variables":               "Values for {{placeholders}}, before those of prompts and config.",
			"context_metadata":        "Who talks about what, for the variables domain and user_role.",
			"streaming":               "Asks the model for a stream.",
			"trials":                  "How often to repeat the conversation.",
			"providers":               "Runs only against these providers.",
			"provider_group":          "Runs only against the providers of this group.",
			"required_capabilities":   "Runs only against providers that can do all of this.",
			"tool_policy":             "Limits for the tool calls of the conversation.",
			"context_policy":          "What is left out when the conversation gets long.",
			"labels":                  "Names and values that are copied into the results.",
			"tags":                    "Words to select scenarios by.",
			"skip":                    "Why the scenario is not run.",
			"timeout":                 "The longest that the conversation may take, such as 90s.",
			"on_failure":              "Whether a failed check of a turn ends the conversation.",
			"judge_gate":              "Asks no judge once a check without one has failed.",
			"metadata":                "Values for checks: what a context_field names, and the metadata that programs get.",
			"output_schema":           "JSON Schema of the replies, or the file that holds it; models that can are held to it.",
		},
		turnFields: {
			"role":              "user, or a role of self_play.",
			"content":           "What the user says; may hold {{placeholders}}.",
			"parts":             "Texts, images, sounds and files instead of content.",
			"assertions":        "Checks of the reply to this turn.",
			"persona":           "Who speaks, in a turn of self-play.",
			"turns":             "Self-play: the least number of messages to generate.",
			"max_turns":         "Self-play: the most messages to generate, if the talk does not end before.",
			"consent_overrides": "What the user answers when a tool asks: grant, deny or timeout.",
			"chaos":             "Faults to inject during this turn.",
			"perturbations":     "Texts for {name} in the content; each combination is a trial of its own.",
			"seed":              "The seed of the model calls of this turn.",
			"assistant_temp":    "The temperature of the assistant in this turn.",
			"user_temp":         "The temperature of the model that plays the user.",
			"mock":              "Canned replies to this turn, one for each round of tool calls.",
		},
		checkFields: merged(check, when, scores, map[string]string{
			"pass_threshold": "The share of trials that must pass, of each variant by itself; 1 when left out.",
		}),
		nestedFields: merged(check, when, scores),
		weightedFields: merged(check, when, scores, map[string]string{
			"weight": "How much its score counts; 1 when left out.",
		}),
		evalFields:      merged(check, when, evalTexts()),
		validatorFields: merged(check, scores, validatorTexts()),
		whenFields: {
			"tool_called":         "A tool of this name was called.",
			"tool_called_pattern": "A tool was called whose name matches this regular expression.",
			"any_tool_called":     "Some tool was called.",
			"min_tool_calls":      "At least so many calls were made.",
		},
		toolPolicyFields: {
			"tool_choice":              "auto, required, none, or the tool to call.",
			"blocklist":                "Tools that are answered with an error instead of being run.",
			"max_rounds":               "The most rounds of tool calls in a turn; 50 when left out.",
			"max_tool_calls_per_turn":  "The most calls in a turn.",
			"max_total_tool_calls":     "The most calls in the conversation.",
			"max_cost_usd":             "The most that the conversation may cost; 2 when left out.",
			"max_identical_tool_calls": "The most calls with the same arguments in a row; 3 when left out.",
		},

		arenaFields: {
			"prompt_configs": "The prompts under test.", "providers": "The models to run against.",
			"scenarios": "The conversations to run.", "evals": "Checks over recordings.", "tools": "The tools of the agents.",
			"judges":       "The models that judge, by name.",
			"self_play":    "Personas and the models that play them.",
			"globals":      "Checks that hold for every conversation.",
			"pack_evals":   "Evals beside those of the pack; the same id replaces one.",
			"pack_file":    "A pack whose prompts, tools and evals belong to the project.",
			"defaults":     "Settings of every run.",
			"prompt_specs": "Prompts written here, by id.", "provider_specs": "Providers written here, by id.",
			"scenario_specs": "Scenarios written here, by id.", "eval_specs": "Evals written here, by id.",
			"tool_specs": "Tools written here, by name.", "judge_specs": "Judges written here, by name.",
			"mcp_servers": "Servers whose tools are offered.", "a2a_agents": "Other agents, simulated or remote.",
			"skills": "Folders of skills.", "workflow": "The states through which conversations go.",
			"compositions": "Steps that states of the workflow run.", "memory": "Turns the memory tools on.",
			"runtime": "What a runtime config holds.",
		},
		defaultsFields: merged(params, map[string]string{
			"seed":           "Makes models that support it repeat themselves.",
			"concurrency":    "How many conversations run at once.",
			"run_timeout":    "The longest that the run may take, such as 10m.",
			"fail_on":        "What makes a run end red besides failed assertions and errors, which always do.",
			"on_failure":     "Whether a failed check of a turn ends the conversation.",
			"judge_gate":     "Asks no judge once a check without one has failed.",
			"config_dir":     "The folder from which paths start that matter while running.",
			"output":         "Which results are written, and where.",
			"out_dir":        "Older form of output.dir.",
			"output_formats": "Older form of output.formats.",
			"html_report":    "Older form of output.html.file.",
		}),
		promptRefFields: {
			"id": "The name of the prompt in this config.", "file": "The file of the prompt.",
			"vars": "Values for its {{placeholders}}.",
		},
		providerRefFields: {
			"file":  "The file of the provider.",
			"group": "A group other than default is only used by scenarios, judges and roles that ask for it.",
		},

		promptFields: {
			"task_type":       "The name by which scenarios ask for the prompt.",
			"system_template": "The system prompt; may hold {{placeholders}}.",
			"variables":       "The placeholders, with defaults.",
			"allowed_tools":   "The tools that the model is offered; a trailing * stands for any end.",
			"validators":      "Guardrails on what users and models say.",
			"fragments":       "Texts from other files that the template takes in.",
			"model_overrides": "Other texts for certain models.",
			"tool_policy":     "Limits for tool calls.",
			"parameters":      "Parameters of the model calls.",
			"evals":           "Checks that measure quality.",
		},
		variableFields: {
			"required": "There must be a value.", "default": "The value when nobody sets one.",
		},
		parameterFields: params,

		providerFields: {
			"type":                  "Whose interface the model has; mock answers with canned replies.",
			"model":                 "The model's name, as its provider writes it.",
			"role":                  "What the model is for; llm when left out.",
			"base_url":              "Where to reach it, if not at its usual place; may hold ${VARIABLES}.",
			"headers":               "Further headers of the requests; may hold ${VARIABLES}.",
			"credential":            "The key, when it is not in the usual environment variable.",
			"platform":              "The cloud that hosts the model.",
			"defaults":              "Parameters of the model calls.",
			"pricing":               "Prices in US dollars, for models whose prices are not known.",
			"rate_limit":            "The most requests in a second.",
			"capabilities":          "What the model can do.",
			"unsupported_params":    "Parameters that must not be sent.",
			"request_timeout":       "The longest that a reply may take, such as 60s.",
			"stream_idle_timeout":   "The longest silence within a stream, such as 30s.",
			"stream_retry":          "Whether and how often failed requests are repeated.",
			"circuit_breaker":       "When the model is no longer called because nobody is there, and when to try again.",
			"stream_max_concurrent": "The most requests at once; 0 is no limit.",
			"additional_config":     "Settings of this type of provider.",
		},
		credentialFields: {
			"api_key":         "The key itself, best as ${VARIABLE}.",
			"credential_env":  "The environment variable that holds the key.",
			"credential_file": "The file that holds the key.",
		},
		providerDefaults:       calls,
		openaiConfigFields:     config,
		compatibleConfigFields: config,
		ollamaConfigFields: merged(config, map[string]string{
			"keep_alive": "How long the server keeps the model loaded.",
		}),
		embeddingConfigFields: {"extra_body": config["extra_body"]},
		replySchemaFields: {
			"name":   "By which name the server knows the schema.",
			"schema": "JSON Schema of the reply, where neither the scenario nor the prompt has an output_schema.",
		},
		mockConfigFields: {"mock_config": "The file with the canned replies."},
		replayFields: {
			"recording": "The recording to answer from.", "match": "Whether replies are found by turn or by what was asked.",
		},

		toolFields: {
			"description":        "What the tool does; models read it.",
			"input_schema":       "JSON Schema of the arguments.",
			"output_schema":      "JSON Schema of the result.",
			"mode":               "Simulated (mock, the default) or real.",
			"timeout_ms":         "The longest that a call may take.",
			"mock_result":        "The result of every call.",
			"mock_template":      "A Go template over the arguments that makes the result: {{.order_id}}.",
			"mock_result_file":   "The file that holds the result.",
			"mock_template_file": "The file that holds the template.",
			"mock_parts":         "A result with images, sounds or files.",
			"http":               "How to call it: mode live.", "exec": "The program to start: mode exec.",
			"client": "What the user's side does: mode client.",
		},
		personaFields: {
			"system_template": "How the model is to play the user; may hold {{placeholders}}.",
			"system_prompt":   "The same, as it is.",
			"goals":           "What the user wants.", "constraints": "What the user does not do.",
			"style": "How the user writes.",
		},
		mockFileFields: {
			"defaultResponse": "The reply where nothing else fits.",
			"scenarios":       "Replies by scenario.", "selfplay": "What personas say, by persona.",
			"judges": "What judges answer, by judge.",
		},
		mockScenarioFields: {
			"defaultResponse": "The reply to turns that have none.",
			"turns":           "Replies by their number, from 1.", "steps": "Replies by the step of a composition.",
		},
		mockTurnFields: {
			"content": "The text of the reply.", "tool_calls": "The tools that the reply calls.",
			"error": "The call fails with this text.", "latency_ms": "How long the reply takes.",
		},
		recordingEvalFields: {
			"recording":               "What to look at.",
			"turns":                   "Checks of every reply.",
			"conversation_assertions": "Checks of the whole conversation.",
		},
	}
})

func evalTexts() map[string]string {
	return map[string]string{
		"id":                "The name of the eval; a narrower level replaces the same id of a wider one.",
		"trigger":           "When it is judged.",
		"enabled":           "false switches it off.",
		"sample_percentage": "For sampling triggers, from 0 to 100; 5 when left out.",
		"threshold":         "The scores that count as passed.",
		"groups":            "Names to select evals by.",
		"metric":            "The metric that the score goes to.",
	}
}

func validatorTexts() map[string]string {
	return map[string]string{
		"message":           "What takes the place of a reply that is refused.",
		"enabled":           "false switches it off.",
		"fail_on_violation": "false only records what it finds.",
	}
}

// merged is all texts together; later ones win.
func merged(sets ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, texts := range sets {
		maps.Copy(all, texts)
	}
	return all
}
