// A trial as Markdown, to paste into an issue. Everything that a model or a user wrote stands in code, so that it can
// neither format, nor link, nor mention.

function fenced(text, language = "text") {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), (m) => m[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${visible(text)}\n${fence}\n`;
}

function inline(text) {
  const line = oneLine(String(text), 400);
  const fence = "`".repeat(Math.max(0, ...Array.from(line.matchAll(/`+/g), (m) => m[0].length)) + 1);
  return line ? `${fence}${fence.length > 1 ? " " : ""}${line}${fence.length > 1 ? " " : ""}${fence}` : "";
}

function verdictLine(v) {
  const seen = v.error || v.explanation || v.skip_reason;
  return [
    `- ${STATUS.get(v.status) ?? "!"} ${v.status} ${inline(v.check || v.type)}`,
    v.message && inline(v.message),
    seen && inline(seen),
    known(v.score) && `score ${score(v.score)}`,
    thresholds(v) && `asked for ${thresholds(v)}`,
    inline(place(v.position)),
  ]
    .filter(Boolean)
    .join(" · ")
    .concat(...judging(v).map(votesLine));
}

// votesLine is who judged one question, and how.
const votesLine = (votes) =>
  [
    `\n  - judged by ${inline(judgeName(votes[0][0]))}`,
    votes.length > 1 && `votes ${votes.map(voteWord).join(", ")}`,
    votes.some((rounds) => rounds.length > 1) && "asked again",
    ...spent(votes.flat()),
  ]
    .filter(Boolean)
    .join(" · ");

const WHO = new Map([
  ["assistant", "agent"],
  ["user", "user"],
  ["system", "system"],
]);

function messageLines(m) {
  const out = [];
  if (m.tool_result) {
    const r = m.tool_result;
    out.push(
      `**tool result** ${inline(r.name)}${r.error ? ", error" : ""}${r.metadata?.injected ? `, chaos: ${r.metadata.injected}` : ""}\n`,
      fenced(r.error || r.content || m.content || ""),
    );
    return out;
  }
  const media = (m.parts ?? [])
    .filter((p) => p.type !== "text")
    .map((p) => inline(`[${p.type} ${p.media?.mime_type ?? ""}]`));
  const text =
    m.content ||
    (m.parts ?? [])
      .filter((p) => p.type === "text")
      .map((p) => p.text)
      .join("");
  if (text || media.length || !m.tool_calls?.length)
    out.push(`**${WHO.get(m.role) ?? inline(m.role || "no role")}**\n`);
  if (text) out.push(fenced(text));
  if (media.length) out.push(`${media.join(" ")}\n`);
  for (const c of m.tool_calls ?? [])
    out.push(`**tool call** ${inline(c.name)}\n`, fenced(c.bad_args || json(c.args ?? {}), "json"));
  return out;
}

// evalLine is what an eval measured; with a threshold it reads like a verdict.
const evalLine = (e) =>
  e.status
    ? verdictLine({ ...e, type: `eval ${e.eval_id}` })
    : [`- eval ${inline(e.eval_id)}${e.step ? ` of ${inline(e.step)}` : ""}`, known(e.score) && `score ${score(e.score)}`]
        .concat([e.error, e.explanation, e.skip_reason].map((text) => text && inline(text)))
        .filter(Boolean)
        .join(" · ");

// stepLine is what came of one step of a composition.
const stepLine = (step) =>
  [
    `${step.within ? "  " : ""}- step ${inline(step.id)} (${inline(step.kind)})`,
    step.skipped && "skipped",
    step.attempts > 1 && many(step.attempts, "attempt"),
    ...(step.failed_attempts ?? []).map((a) => `not counted: ${inline(a.error)}`),
    step.target && `went to ${inline(step.target)}`,
    step.status,
    step.error ? `error ${inline(step.error)}` : known(step.output) && step.kind !== "parallel" && inline(valueText(step.output)),
  ]
    .filter(Boolean)
    .join(" · ");

function turnLines(turn, trial) {
  const out = [`## Turn ${turn.index + 1}\n`];
  const messages = turn.messages ?? [];
  if (!messages.some((m) => m.role === "user") && turn.user) out.push("**user**\n", fenced(turn.user));
  const steps = turn.composition?.steps?.length ? [`${turn.composition.steps.map(stepLine).join("\n")}\n`] : [];
  for (const m of messages) {
    if (m.role === "assistant") out.push(...steps.splice(0));
    out.push(...messageLines(m));
  }
  out.push(...steps);
  if (!messages.length && turn.assistant) out.push("**agent**\n", fenced(turn.assistant));
  if (turn.error) out.push("**error**\n", fenced(turn.error));
  if (turn.not_run) out.push(`not run: ${inline(turn.not_run)}\n`);
  if (turn.assertions?.length) out.push(`${turn.assertions.map(verdictLine).join("\n")}\n`);
  const evals = evalsOf(trial, turn.index);
  if (evals.length) out.push(`${evals.map(evalLine).join("\n")}\n`);
  return out;
}

function markdown(t, trial) {
  const out = [`# ${STATUS.get(t.status) ?? "!"} ${t.status}: ${inline(t.id)}\n`];
  out.push(
    [
      trial.model && inline(trial.model),
      seconds(t.ms),
      many(t.tokens, "token"),
      `cost ${paid(t.usd, t.simulated ? t.usd : 0)}`,
      trial.users && `users ${paid(trial.users.cost_usd, trial.users.simulated_usd)}`,
      trial.context && `context policy ${paid(trial.context.cost_usd, trial.context.simulated_usd)}`,
      trial.judges && `judges ${paid(trial.judges.cost_usd, trial.judges.simulated_usd)}`,
      inline(place(trial.position)),
    ]
      .filter(Boolean)
      .join(" · ") + "\n",
  );
  if (trial.error) out.push("**error**\n", fenced(trial.error));
  if (trial.skip_reason) out.push(`skipped: ${inline(trial.skip_reason)}\n`);
  for (const turn of trial.turns ?? []) out.push(...turnLines(turn, trial));
  const whole = [...(trial.conversation_assertions ?? []).map(verdictLine), ...evalsOf(trial, -1).map(evalLine)];
  if (whole.length) out.push("## Whole conversation\n", `${whole.join("\n")}\n`);
  return out.join("\n");
}
