// The steps of a composition, which answered in the place of one model call: each a card that opens, in their order,
// those of a parallel step beneath it.

const valueText = (v) => (typeof v === "string" ? v : json(v, 0));
const valueOf = (v) => (typeof v === "string" ? pretty(v) : code(v));

// stepOutcome is what came of a step in a few words.
function stepOutcome(step) {
  if (step.skipped) return "skipped";
  if (step.error) return [badge("error", { bare: true }), ` ${oneLine(step.error)}`];
  if (step.kind === "branch") return step.target ? `→ ${step.target}` : "→ goes on";
  if (step.kind === "parallel") return step.status;
  return known(step.output) ? `→ ${oneLine(valueText(step.output))}` : "";
}

function stepFoot(step) {
  const parts = [];
  if (step.attempts > 1) parts.push(many(step.attempts, "attempt"));
  if (step.latency_ms) parts.push(latency(step.latency_ms));
  if (step.usage)
    parts.push(
      `${count(step.usage.input_tokens)} in, ${count(step.usage.output_tokens)} out${step.usage.estimated ? " (estimated)" : ""}`,
    );
  if (step.model_calls) parts.push(known(step.cost_usd) ? money(step.cost_usd) : "cost unknown");
  return parts.join(" · ");
}

// stepTalk is what was said in an attempt of a step.
function stepTalk(said) {
  const results = said
    .filter((m) => m.tool_result)
    .map((m) => ({ ...m.tool_result, content: m.tool_result.content || m.content }));
  return said.flatMap((m) => {
    if (m.role === "assistant") return agentMessage({ ...m, state: "" }, results, { state: "" });
    if (m.role === "system") return [systemPrompt(m.content ?? "")];
    return m.role === "user" ? [bubble("user", "input", m.content, m.parts)] : [];
  });
}

// failedAttempt is an attempt that was repeated, closed at first.
const failedAttempt = (attempt, i) =>
  h(
    "details.tool.step.attempt",
    {},
    h(
      "summary",
      {},
      h("span.kind", {}, `attempt ${i + 1}`),
      h("b", {}, "does not count"),
      " ",
      h("span.outcome", { dir: "auto" }, oneLine(attempt.error)),
    ),
    h("div.inside", {}, h("div.chat", {}, stepTalk(attempt.messages ?? []))),
  );

function stepCard(step) {
  const talk = stepTalk(step.messages ?? []);
  const what = [step.prompt_task && `prompt ${step.prompt_task}`, step.tool && `tool ${step.tool}`].filter(Boolean);
  const foot = stepFoot(step);
  return h(
    `details.tool.step${step.error ? ".error" : ""}${step.skipped ? ".skipped" : ""}${step.within ? ".within" : ""}`,
    { open: Boolean(step.error) },
    h(
      "summary",
      {},
      h("span.kind", {}, step.kind || "step"),
      h("b", { dir: "auto" }, oneLine(step.id || "no id", 80)),
      " ",
      h("span.outcome", { dir: "auto" }, stepOutcome(step)),
    ),
    h(
      "div.inside",
      {},
      (what.length > 0 || foot) && h("p.meta", { dir: "auto" }, [...what, foot].filter(Boolean).join(" · ")),
      step.error && code(step.error),
      ...(step.failed_attempts ?? []).map(failedAttempt),
      known(step.input) && !talk.length && [h("h3", {}, "Input"), valueOf(step.input)],
      talk.length > 0 && h("div.chat", {}, talk),
      known(step.output) && [h("h3", {}, "Output"), valueOf(step.output)],
    ),
  );
}

// compositionSteps are the marks and cards of a turn that steps answered.
const compositionSteps = (c) =>
  c ? [mark("state", "composition: ", h("b", { dir: "auto" }, c.name || "no name")), ...(c.steps ?? []).map(stepCard)] : [];
