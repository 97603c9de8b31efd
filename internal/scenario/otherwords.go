package scenario

// How other tools write a test, and what is written here in its place. A key that is missing from a map is looked up by
// the title of the map.

const (
	asTurn    = "write what the user says as a turn: turns: [{role: user, content: …}]"
	asChecks  = "write what the reply must be below its turn: assertions: [{type: contains, params: {patterns: […]}}]"
	asJudge   = "write a check that a model decides below a turn: assertions: [{type: llm_judge, params: {criteria: …}}]"
	asPrompt  = "what the agent is told stands in a file of kind PromptConfig as system_template; name its task_type here"
	asDataset = "rows stand in a file: dataset: rows.csv, and {{column}} in a turn is filled in from each row"
	asFile    = "name files: scenarios: [scenarios/*.yaml], each with the turns and assertions of one conversation"
	noWeight  = "checks have no weight and no metric of their own: each of them must pass"
	besides   = "put it beside turns, at the level of the scenario"
	belowTurn = "put it into a turn: turns: [{role: user, content: …}]"
)

// otherWords has the keys of other tools, by the map in which people write them.
func otherWords(what, key string) string {
	switch what {
	case "a scenario":
		return inScenario(key)
	case "a turn":
		return inTurn(key)
	case "an arena config":
		return inConfig(key)
	case "a check", "an eval", "a validator":
		return inCheck(what, key)
	case "a provider":
		return inProvider(key)
	case "a prompt", "a persona":
		if key == "prompt" || key == "content" || key == "text" || key == "template" {
			return "the text of it is called system_template"
		}
	}
	return ""
}

func inScenario(key string) string {
	switch snake(key) {
	case "input", "question", "query", "user", "prompt", "message", "user_message", "user_input", "goal":
		return asTurn
	case "assert", "asserts", "expected_output", "expected", "expect", "should", "ideal", "target", "actual_output",
		"expected_tools", "expected_response", "output", "expectations", "solution", "reference", "validate":
		return asChecks
	case "metrics", "metric", "scorer", "scorers", "evaluators", "evaluator", "graders", "grader", "criteria", "rubric",
		"judge", "judges", "success_criteria", "evaluation_steps":
		return asJudge
	case "solver", "plan", "agent", "model":
		return "a scenario does not say who answers: that is a provider of the config; providers: [NAME] picks some of them"
	case "system_prompt", "system", "system_template", "instructions":
		return asPrompt
	case "tests", "test_cases", "cases", "examples", "samples", "rows", "data":
		return asDataset
	case "threshold", "min_score":
		return "write min_score beside the type of the check that it is about"
	case "role", "content", "parts":
		return belowTurn
	case "retries", "retry":
		return "failed requests are repeated by --retries; trials: 5 runs the scenario five times"
	case "epochs":
		return "trials: 5 runs the scenario five times"
	case "tools", "allowed_tools":
		return "list tools in the config, and those that the agent may call as allowed_tools in its prompt"
	}
	return ""
}

func inTurn(key string) string {
	switch snake(key) {
	case "id", "name", "description", "task_type", "dataset", "variables", "vars", "context_metadata", "providers",
		"provider_group", "required_capabilities", "tool_policy", "context_policy", "seed_memories", "labels", "tags",
		"skip", "quarantine", "timeout", "on_failure", "judge_gate", "metadata":
		if key == "vars" {
			return "write variables: {NAME: …} beside turns, at the level of the scenario"
		}
		return besides
	case "text", "message", "query", "question":
		return "what the user says is called content"
	case "expect", "expected", "expected_output", "should", "assert", "response", "assistant", "bot", "agent", "output":
		return "write what the reply must be as assertions: assertions: [{type: contains, params: {patterns: […]}}]"
	case "criteria", "rubric", "judge", "metrics", "scorer":
		return "write assertions: [{type: llm_judge, params: {criteria: …}}]"
	case "tools", "expected_tools", "tool_calls":
		return "write assertions: [{type: tools_called, params: {tools: […]}}]"
	}
	return ""
}

func inConfig(key string) string {
	switch snake(key) {
	case "prompts", "prompt":
		return "write prompt_configs: [{id: NAME, file: NAME.prompt.yaml}]"
	case "tests", "test", "test_cases", "cases", "suites", "tasks", "task":
		return asFile
	case "targets", "target", "models", "model", "llms":
		return "write providers: [{file: NAME.provider.yaml}]"
	case "default_test", "assert":
		return "checks of all conversations: globals: {conversation_assertions: [{type: …}]}; those of one turn stand in " +
			"its scenario"
	case "turns", "task_type", "dataset":
		return "put it into a file of its own, and name that below scenarios"
	case "metrics", "scorer", "scorers", "graders", "evaluators":
		return "what a reply must be stands in the scenarios, as assertions; what is only measured, as evals of the prompt"
	case "solver", "agent":
		return "the agent is a provider with a prompt: providers: [{file: …}] and prompt_configs: [{id: …, file: …}]"
	case "mcp":
		return "write mcp_servers: [{name: …, command: …}]"
	case "env":
		return "variables of the environment stand in .env beside the config, or are set in the shell"
	case "output_path":
		return "write defaults: {output: {dir: …}}"
	case "personas":
		return "write self_play: {personas: […], roles: [{id: …, provider: …}]}"
	}
	return ""
}

func inCheck(what, key string) string {
	least := "min_score"
	if what == "an eval" {
		least = "threshold: {min_score: …}"
	}
	switch snake(key) {
	case "value", "values", "expected", "text":
		if what != "an eval" {
			return "put it below params, under the name that the check has for it: params: {patterns: […]} for contains, " +
				"{pattern: …} for regex, {value: …} for equals; `arena checks NAME` lists those of each"
		}
	case "threshold", "score", "passing_score":
		return "the score from which on it passes is called " + least
	case "criteria", "rubric", "evaluation_steps":
		return "write type: llm_judge and params: {criteria: …}"
	case "metric", "metrics":
		if what != "an eval" {
			return noWeight
		}
	case "name", "check", "assertion", "kind", "method":
		if what == "an eval" && key == "name" {
			return `did you mean "id"?`
		}
		return "the kind of a check is called type, and a label for it message"
	case "provider", "model", "judge":
		return "put it below params, where the check is a judge: params: {judge: NAME}"
	case "id":
		return "a check has no id: its type and its line name it"
	case "when":
		return "a guardrail judges every reply: it has no when"
	case "monitor", "observe", "dry_run", "log_only":
		if what == "a validator" {
			return "fail_on_violation: false only records what it finds"
		}
	case "transform":
		return "nothing is computed from a reply; json_path and regex look into it"
	case "pass_threshold":
		return "it counts trials, which a guardrail or an eval does not: the least score is called " + least
	}
	return ""
}

func inProvider(key string) string {
	switch snake(key) {
	case "config", "options", "settings", "params", "parameters":
		return "write defaults: {temperature: …, max_tokens: …}; what only this type has stands below additional_config"
	case "command", "cmd", "args", "method", "body", "mock_config", "recording", "request", "response_path", "url_path",
		"api_version", "reasoning_effort", "mock_file", "env", "working_dir":
		return "put it below additional_config: additional_config: {" + key + ": …}"
	case "name", "provider":
		return "write id: with the name by which others know it, and type: with the kind of provider"
	case "deployment", "deployment_name", "engine":
		return "write model: with the name of the model, or of the deployment"
	case "timeout":
		return "write request_timeout: 60s"
	case "prompt", "system_prompt", "instructions":
		return "what the agent is told stands in a file of kind PromptConfig as system_template"
	}
	return ""
}
