// What a program that is the agent told of its work in a turn: a bar for each span on one time, the calls of models and
// tools among them, each a row that opens.

const ROWS = 100; // that are shown at once

const SPAN_KINDS = new Set(["model", "tool", "agent", "embedding", "evaluator"]);
const spanKind = (s) => (SPAN_KINDS.has(s.kind) ? s.kind : "other");
const hasTime = (s) => Number.isFinite(s.start_ms);
const spanTook = (s) => (Number.isFinite(s.duration_ms) ? Math.max(s.duration_ms, 0) : 0);

// spanTime is a time, exact enough to tell short spans apart.
const spanTime = (ms) => (ms > 0 && ms < 10 ? `${Number(ms.toPrecision(2))}ms` : latency(ms));

const spanTokens = (u) =>
  `${count(u.input_tokens ?? 0)} in, ${count(u.output_tokens ?? 0)} out${u.cached_tokens ? `, ${count(u.cached_tokens)} cached` : ""}`;

// timelineSums says how much there is of what.
function timelineSums(trace, spans, whole) {
  const n = (kind) => spans.filter((s) => spanKind(s) === kind).length;
  const left = trace.spans_left_out > 0 ? trace.spans_left_out : 0;
  const others = spans.length - n("model") - n("tool");
  return [
    n("model") && many(n("model"), "model call"),
    n("tool") && many(n("tool"), "tool call"),
    others > 0 && many(others, n("model") + n("tool") ? "other span" : "span"),
    left && `${count(left)} more not kept`,
    whole > 0 && spanTime(whole),
  ]
    .filter(Boolean)
    .join(" · ");
}

// spanBar draws when a span was: on a line as long as the whole, divided in four.
function spanBar(s, whole) {
  if (!hasTime(s)) return h("span.untimed", {}, "no time that counts");
  const share = (ms) => (whole > 0 ? Math.min(Math.max(ms / whole, 0), 1) * 100 : 0);
  const width = Math.max(whole > 0 ? share(spanTook(s)) : 100, 0.5);
  const x = Math.min(share(s.start_ms), 100 - width);
  return svg(
    "svg",
    { class: "lane", "aria-hidden": "true" },
    [25, 50, 75].map((at) => svg("line", { x1: `${at}%`, x2: `${at}%`, y1: "0", y2: "100%" })),
    svg("rect", { x: `${x.toFixed(3)}%`, y: "4", width: `${width.toFixed(3)}%`, height: "10", rx: "2" }),
  );
}

function spanFacts(s) {
  return pairs("dl.facts", [
    ["Started", hasTime(s) ? `after ${spanTime(s.start_ms)}` : "not known"],
    ["Took", hasTime(s) ? spanTime(spanTook(s)) : "not known"],
    ["Model", s.model || null],
    ["Tokens", s.usage ? spanTokens(s.usage) : null],
    ["Cost", known(s.cost_usd) ? money(s.cost_usd) : s.kind === "model" ? "not told" : null],
  ]);
}

function spanRow(s, whole) {
  const kind = spanKind(s);
  const depth = Math.min(Math.max(Math.trunc(s.depth) || 0, 0), 8);
  const tokens = s.usage ? count((s.usage.input_tokens ?? 0) + (s.usage.output_tokens ?? 0)) : "";
  return h(
    "li",
    {},
    h(
      `details.did.of-${kind}${s.error ? ".broke" : ""}`,
      {},
      h(
        "summary",
        {},
        h(
          `span.name.deep${depth}`,
          { title: s.name || "no name" },
          s.error && [badge("error", { bare: true }), " "],
          kind !== "other" && [h("span.kind", {}, kind), " "],
          h("b", { dir: "auto" }, oneLine(s.name || "no name", 80)),
          depth > 0 && unseen(`, ${many(depth, "level")} deep`),
        ),
        spanBar(s, whole),
        h("span.took", {}, hasTime(s) && [unseen(`after ${spanTime(s.start_ms)}, took `), spanTime(spanTook(s))]),
        h("span.tokens", {}, tokens && [tokens, unseen(" tokens")]),
        h("span.cost", {}, known(s.cost_usd) && money(s.cost_usd)),
      ),
      h(
        "div.inside",
        {},
        spanFacts(s),
        s.error && [h("h4", {}, "Error"), code(s.error)],
        s.output && [h("h4", {}, "Output"), longText(s.output)],
      ),
    ),
  );
}

// timeline is the trace of a turn; null where there is none.
function timeline(trace, turn) {
  if (!trace) return null;
  const spans = (trace.spans ?? []).filter((s) => s && typeof s === "object");
  if (!spans.length && !(trace.spans_left_out > 0)) return null;
  const whole = spans.filter(hasTime).reduce((end, s) => Math.max(end, s.start_ms + spanTook(s)), 0);
  const failed = spans.filter((s) => s.error).length;
  const list = h("ol.spans", { "aria-label": `Spans of turn ${turn}, in the order of their starts` });
  const more = h("button.more", { type: "button" });
  const show = (n) => {
    const first = list.children.length;
    list.append(...spans.slice(first, first + n).map((s) => spanRow(s, whole)));
    const left = spans.length - list.children.length;
    more.hidden = left === 0;
    more.textContent = `Show ${count(Math.min(left, ROWS))} more of ${count(left)}`;
    return first;
  };
  const open = spans.length <= ROWS;
  if (open) show(ROWS);
  more.addEventListener("click", () => list.children[show(ROWS)].querySelector("summary").focus());
  return h(
    "details.timeline",
    { open, ontoggle: () => list.children.length || show(ROWS) },
    h(
      "summary",
      {},
      h("h3", {}, "Trace"),
      h("span.sums", {}, ` ${timelineSums(trace, spans, whole)}`),
      failed > 0 && [" ", badge("error", { word: `${count(failed)} failed` })],
    ),
    whole > 0 &&
      h(
        "div.axis",
        { "aria-hidden": "true" },
        h("span.name", {}, "Span"),
        h(
          "span.quarters",
          {},
          [0, 0.25, 0.5, 0.75].map((at) => h("span", {}, at ? spanTime(whole * at) : "0")),
        ),
        h("span.took", {}, "Took"),
        h("span.tokens", {}, "Tokens"),
        h("span.cost", {}, "Cost"),
      ),
    list,
    more,
    trace.spans_left_out > 0 &&
      h("p.meta", {}, `${many(trace.spans_left_out, "more span")} counted and ${trace.spans_left_out === 1 ? "is" : "are"} not kept.`),
    trace.notice && h("p.meta", { dir: "auto" }, trace.notice),
  );
}
