// The conversation as a chat: the user on the left, the agent on the right, tool calls as cards, marks in between.

const partsOf = (parts) => (parts ?? []).map((p) => (p.type === "text" ? longText(p.text ?? "") : mediaPart(p)));

function bubble(kind, who, text, parts, foot) {
  const hasText = text && !(parts ?? []).some((p) => p.type === "text" && p.text === text);
  const body = [hasText && longText(text), ...partsOf(parts)].filter(Boolean);
  return h(
    `article.message.${kind}`,
    { "aria-label": who },
    h("div.who", { "aria-hidden": "true" }, who),
    h("div.bubble", {}, body.length ? body : h("p.empty", {}, "no text")),
    foot && h("p.meta", {}, foot),
  );
}

const mark = (kind, ...children) => h(`p.mark.${kind}`, {}, children);

const argsLine = (call) =>
  call.bad_args
    ? oneLine(call.bad_args)
    : Object.entries(call.args ?? {})
        .map(([key, value]) => `${key}=${json(value, 0)}`)
        .join(", ");

// toolCard is a call with what came of it; outcome is undefined when nothing came.
function toolCard(call, outcome) {
  const error = outcome?.error;
  const text = error || outcome?.content || (outcome?.parts?.length ? "media" : "");
  return h(
    `details.tool${error || call.bad_args ? ".error" : ""}`,
    { open: Boolean(error || call.bad_args) },
    h(
      "summary",
      {},
      h("span.kind", {}, "tool"),
      h("b", { dir: "auto" }, oneLine(call.name || "no name", 80)),
      h("span.args", { dir: "auto" }, `(${oneLine(argsLine(call), 160)})`),
      h(
        "span.outcome",
        { dir: "auto" },
        outcome ? [error && badge("error", { bare: true }), ` → ${oneLine(text)}`] : " → no result",
        outcome?.metadata?.injected && ` (chaos: ${oneLine(outcome.metadata.injected, 20)})`,
      ),
    ),
    h(
      "div.inside",
      {},
      h("h3", {}, call.bad_args ? "Arguments, not a JSON object" : "Arguments"),
      code(call.bad_args || (call.args ?? {})),
      outcome &&
        h(
          "h3",
          {},
          error ? `Error${outcome.error_type ? `: ${outcome.error_type}` : ""}` : "Result",
          outcome.latency_ms > 0 && h("small", {}, ` ${latency(outcome.latency_ms)}`),
        ),
      error && code(error),
      outcome?.content && outcome.content !== error && pretty(outcome.content),
      partsOf(outcome?.parts),
    ),
  );
}

// takeResult finds the result of a call among those not shown yet: by its id, else by its name.
function takeResult(results, call) {
  let at = results.findIndex((r) => call.id && r.id === call.id);
  if (at < 0 && !call.id) at = results.findIndex((r) => r.name === call.name);
  return at < 0 ? undefined : results.splice(at, 1)[0];
}

function replyFoot(m) {
  const parts = [];
  if (m.latency_ms) parts.push(latency(m.latency_ms));
  if (m.usage)
    parts.push(
      `${count(m.usage.input_tokens)} in, ${count(m.usage.output_tokens)} out${m.usage.estimated ? " (estimated)" : ""}`,
    );
  if (m.usage || m.cost_usd) parts.push(known(m.cost_usd) ? money(m.cost_usd) : "cost unknown");
  const changed = changedBy(m);
  if (changed) parts.push(changed);
  else if (m.finish_reason && !["stop", "tool_calls"].includes(m.finish_reason)) parts.push(`ended by: ${m.finish_reason}`);
  return parts.join(" · ");
}

const guardActions = new Map([
  ["replaced", " replaced the reply"],
  ["cut", " cut the reply"],
  ["blocked", " answered in place of the model"],
]);

const guardMark = (v) =>
  h(
    `details.mark.guard`,
    {},
    h(
      "summary",
      {},
      "guardrail ",
      h("b", { dir: "auto" }, v.validator_type),
      v.passed ? " held" : guardActions.get(v.details?.action) ?? " fired",
    ),
    v.details &&
      pairs(
        "dl.pairs",
        Object.entries(v.details).map(([key, value]) => [key, showValue(key, value)]),
      ),
  );

// changedBy names the guardrails that changed a reply, or answered in its place: "replaced by banned_words".
function changedBy(m) {
  const words = { replaced: "replaced by", cut: "cut by", blocked: "answered by" };
  const changed = (m.validations ?? []).filter((v) => !v.passed && Object.hasOwn(words, v.details?.action));
  return changed.map((v) => `${words[v.details.action]} ${v.validator_type || "a guardrail"}`).join(", ");
}

// originalReply is what the model had said before a guardrail changed it, with what it changed marked.
function originalReply(m) {
  const { original } = m;
  const what = changedBy(m) || "changed by a guardrail";
  const text = original.content;
  const pieces = text && m.content && text.length + m.content.length < 40_000 ? wordDiff(text, m.content) : null;
  const kept = pieces?.filter((p) => p.kind === "both").reduce((n, p) => n + p.text.trim().length, 0) ?? 0;
  const marks = kept > 0.3 * (text?.length ?? 0) && pieces.filter((p) => p.kind !== "added");
  return h(
    "article.message.agent.original",
    { "aria-label": `what the model had said, ${what}` },
    h("div.who", { "aria-hidden": "true" }, `the model had said, ${what}`),
    h(
      "div.replaced",
      {},
      marks ? marked("div.text", marks) : text ? longText(text) : !original.tool_calls?.length && h("p.empty", {}, "no text"),
      partsOf(original.parts),
      (original.tool_calls ?? []).map((call) => toolCard(call)),
    ),
  );
}

// stateMark says that the workflow has moved on; nothing when it is where it was.
function stateMark(state, at) {
  if (!state || state === at.state) return [];
  const from = at.state && [h("b", { dir: "auto" }, at.state), " → "];
  at.state = state;
  return [mark("state", "workflow: ", from, h("b", { dir: "auto" }, state))];
}

// leftOutMark says where the memory of the agent ended: what of the conversation it was not sent.
function leftOutMark(left) {
  const tokens = `${left.estimated ? "about " : ""}${count(left.tokens)} ${left.tokens === 1 ? "token" : "tokens"}`;
  const messages = `${count(left.messages)} earlier ${left.messages === 1 ? "message" : "messages"}`;
  const all = `✂ the agent was sent all from turn ${left.since_turn + 1} on; ${messages} (${tokens})`;
  if (!left.summary) return mark("memory", `${all} not sent`);
  return h("details.mark.memory", {}, h("summary", {}, `${all} summarized`), h("p.text", { dir: "auto" }, left.summary));
}

function agentMessage(m, results, at) {
  const out = stateMark(m.state, at);
  const calls = m.tool_calls ?? [];
  if (m.left_out) out.push(leftOutMark(m.left_out));
  if (m.original) out.push(originalReply(m));
  if (m.content || m.parts?.length || !calls.length)
    out.push(bubble("agent", "agent", m.content, m.parts, replyFoot(m)));
  for (const call of calls) out.push(toolCard(call, takeResult(results, call)));
  for (const v of m.validations ?? []) out.push(guardMark(v));
  return out;
}

// chat shows the messages of a turn. A turn without a transcript shows what is known of it. at holds the workflow state
// so far, and the system prompt that is shown already.
function chat(turn, at) {
  const messages = turn.messages ?? [];
  const results = messages
    .filter((m) => m.tool_result)
    .map((m) => ({ ...m.tool_result, content: m.tool_result.content || m.content }));
  const out = [];
  const steps = compositionSteps(turn.composition); // they stand before the reply that they gave
  if (!messages.some((m) => m.role === "user") && turn.user) out.push(bubble("user", "user", turn.user));
  for (const m of messages) {
    if (m.role === "assistant") out.push(...steps.splice(0));
    if (m.role === "user") out.push(userMessage(m));
    else if (m.role === "assistant") out.push(...agentMessage(m, results, at));
    else if (m.role === "system") {
      out.push(...stateMark(m.state, at)); // a state may have no prompt of its own
      if (m.content && m.content !== at.system) out.push(systemPrompt(m.content));
    } else if (!m.tool_result) out.push(bubble("other", m.role || "no role", m.content, m.parts));
  }
  out.push(...steps);
  for (const r of results) out.push(toolCard({ name: r.name, args: {} }, r));
  if (!messages.length) {
    for (const c of turn.tool_calls ?? [])
      out.push(toolCard(c, {
          content: c.result,
          error: c.error,
          error_type: c.error_type,
          metadata: { injected: c.injected },
        }));
    if (turn.assistant) out.push(bubble("agent", "agent", turn.assistant));
  }
  if (turn.error) out.push(h("div.notice.error", { role: "note" }, badge("error"), longText(turn.error)));
  if (turn.ended) out.push(mark("ended", "persona ", h("b", { dir: "auto" }, turn.persona), endings.get(turn.ended) ?? `: ${turn.ended}`));
  if (turn.not_run) out.push(mark("idle", "◌ not run: ", turn.not_run));
  return out;
}

// endings are why a persona said nothing more.
const endings = new Map([
  ["end_marker", " ended the conversation"],
  ["maximum", " has said as much as it may"],
  ["error", " could not go on: an error"],
  ["stopped", " was stopped: an assertion failed"],
]);

// userMessage is what the user says; of words that a model wrote it names the persona, and what they took.
function userMessage(m) {
  const by = m.generated;
  if (!by) return bubble("user", "user", m.content, m.parts);
  const took = [];
  if (by.latency_ms) took.push(latency(by.latency_ms));
  if (by.usage) took.push(`${count(by.usage.input_tokens)} in, ${count(by.usage.output_tokens)} out`);
  took.push(known(by.cost_usd) ? money(by.cost_usd) : "cost unknown");
  return bubble("user", `user · persona ${oneLine(by.persona, 60)}, generated`, m.content, m.parts, took.join(" · "));
}

const systemPrompt = (text) =>
  h(
    "details.system",
    {},
    h("summary", {}, "System prompt ", h("small", {}, `${count(text.length)} characters`)),
    longText(text),
  );
