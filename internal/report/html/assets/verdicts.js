// Verdicts: the check, what it saw, how that compares with what was asked for, and the line that asked.

// thresholds says what a score was compared with.
function thresholds(v) {
  const parts = [];
  if (known(v.min_score)) parts.push(`at least ${score(v.min_score)}`);
  if (known(v.max_score)) parts.push(`at most ${score(v.max_score)}`);
  if (known(v.pass_threshold)) parts.push(`in ${percent(v.pass_threshold)} of the trials`);
  return parts.join(", ");
}

const NAMES = {
  cost_usd: "cost",
  latency_ms: "latency",
  duration_ms: "time",
  input_tokens: "tokens in",
  output_tokens: "tokens out",
};

// What stands beside the judgements already.
const TOLD = new Set(["score", "reasoning", "judge", "provider", "model", "votes", "passed", "cost_usd", "latency_ms"]);

// repeats reports whether a sentence tells a value already: a text or a number, or a list of them.
function repeats(sentence, value) {
  if (Array.isArray(value)) return value.every((v) => isScalar(v) && repeats(sentence, v));
  return isScalar(value) && String(value) !== "" && typeof value !== "boolean" && sentence.includes(String(value));
}

// detailsOf is the details of a verdict but those that are shown beside. They are folded where the sentence of the
// verdict tells them already.
function detailsOf(v, shown = []) {
  const said = new Set([v.explanation, v.error]);
  const entries = Object.entries(v.details ?? {}).filter(
    ([key, value]) =>
      !said.has(value) &&
      !shown.includes(key) &&
      !(key === "score" && value === v.score) &&
      !(v.judgements?.length && TOLD.has(key)),
  );
  if (!entries.length) return null;
  const sentence = [v.message, v.explanation, v.error].filter(Boolean).join(" ");
  const told = entries.every(([, value]) => repeats(sentence, value) || (Array.isArray(value) && !value.length));
  return h(
    "details.more",
    { open: isBad(v.status) && !told && !shown.length },
    h("summary", {}, "details"),
    pairs(
      "dl.pairs",
      entries.map(([key, value]) => [Object.hasOwn(NAMES, key) ? NAMES[key] : key, showValue(key, value)]),
    ),
  );
}

let declared; // the lines that declare checks which did not hold, by position
const declarations = () => (declared ??= JSON.parse(byId("sources")?.textContent ?? "{}"));

// sourceOf is the lines that declare a check, with their numbers.
function sourceOf(v) {
  const key = isBad(v.status) && place(v.position);
  if (!key || !Object.hasOwn(declarations(), key)) return null;
  const { from, lines } = declarations()[key];
  const width = String(from + lines.length - 1).length;
  return h(
    "pre.code.lines",
    { "aria-label": "declared as", role: "group" },
    lines.map((line, i) => [h("span.number", {}, `${String(from + i).padStart(width)}  `), `${line}\n`]),
  );
}

function verdictCard(v) {
  const judged = v.judgements?.length > 0;
  const drawn = judged && judgedScale(v);
  const asked = (!drawn || known(v.pass_threshold)) && thresholds(v); // the drawing says it too
  const where = place(v.position);
  const diff = diffOf(v);
  return h(
    `li.verdict.${RANK.has(v.status) ? v.status : "error"}`,
    { tabindex: "-1" },
    h(
      "div.head",
      {},
      badge(v.status === "cancelled" ? "cancelled" : v.status, {
        bare: true,
        word: v.status === "cancelled" ? "not run" : v.status,
      }),
      h("b", { dir: "auto" }, v.check || v.type || "no type"),
      known(v.score) && h("span.score", { title: "score" }, unseen("score "), score(v.score)),
    ),
    v.message && h("p.label", { dir: "auto" }, v.message),
    v.error && longText(v.error),
    v.status === "error" &&
      !v.error &&
      !v.explanation &&
      h("p.label", {}, "nothing could be judged; no reason was given"),
    v.explanation && longText(v.explanation),
    v.skip_reason && h("p.label", { dir: "auto" }, `skipped: ${v.skip_reason}`),
    asked && h("p.asked", {}, `asked for ${asked}`),
    drawn,
    diff?.drawn,
    judged && judgedFold(v),
    detailsOf(v, diff?.names),
    (where || v.duration_ms >= 100) &&
      h(
        "p.place",
        { dir: "auto" },
        [where, v.duration_ms >= 100 && seconds(v.duration_ms)].filter(Boolean).join(" · "),
      ),
    sourceOf(v),
  );
}

// verdictList is the verdicts in the order in which they were declared.
const verdictList = (verdicts, label) =>
  verdicts?.length > 0 && h("ul.verdicts", { "aria-label": label }, verdicts.map(verdictCard));
