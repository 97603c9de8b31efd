// Expected against found, line by line: what was asked for and is not there, what is there and was not asked for.

// FOUND are the names under which checks tell what they found.
const FOUND = ["actual", "got", "content"];

// comparedIn returns the names of an expected and a found value of which a diff says more than both do; null for others.
function comparedIn(details) {
  if (!known(details?.expected)) return null;
  const name = FOUND.find((n) => known(details[n]));
  if (!name) return null;
  const [want, got] = [details.expected, details[name]];
  const text = typeof want === "string" && typeof got === "string";
  if (!text && (isScalar(want) || isScalar(got))) return null;
  return { name, want, got };
}

// parsed is the object or list that a text holds as JSON; other texts are themselves.
function parsed(text) {
  if (typeof text !== "string" || !/^\s*[[{]/.test(text)) return text;
  try {
    return parseTrial(text);
  } catch {
    return text;
  }
}

// sorted has the keys of objects in order, so that their order is no difference.
const sorted = (v) =>
  Array.isArray(v)
    ? v.map(sorted)
    : isScalar(v) || (JSON.isRawJSON?.(v) ?? false)
      ? v
      : Object.fromEntries(Object.keys(v).sort().map((k) => [k, sorted(v[k])]));

// valueDiff draws two values; null when there are too many lines.
function valueDiff(want, got) {
  let [a, b] = [parsed(want), parsed(got)];
  if (isScalar(a) || isScalar(b)) [a, b] = [want, got];
  if (typeof a === "string" && typeof b === "string" && !a.includes("\n") && !b.includes("\n")) {
    const pieces = a.length + b.length < 40_000 ? wordDiff(a, b) : null;
    return pieces && h("pre.code.diff", {}, lineOf("removed", pieces, "added"), lineOf("added", pieces, "removed"));
  }
  const lines = (v) => (typeof v === "string" ? v : json(sorted(v))).split("\n");
  const [before, after] = [lines(a), lines(b)];
  const pieces = before.length + after.length < 4000 ? sequenceDiff(before, after) : null;
  if (!pieces) return null;
  return h(
    "pre.code.diff",
    {},
    pieces.flatMap(({ kind, items }) => (kind === "both" ? shortened(items) : items).map((line) => diffLine(kind, line))),
  );
}

const SIGNS = { both: " ", removed: "-", added: "+" };
const SIDES = { removed: "expected: ", added: "found: " };

const diffLine = (kind, ...text) =>
  h(`span.line.${kind}`, {}, h("span", { "aria-hidden": "true" }, `${SIGNS[kind]} `), SIDES[kind] && unseen(SIDES[kind]), text, "\n");

// lineOf is one of two texts of a line, with the words that the other one lacks in strong.
const lineOf = (kind, pieces, other) =>
  diffLine(kind, pieces.filter((p) => p.kind !== other).map((p) => (p.kind === kind ? h("strong", {}, p.text) : p.text)));

// shortened leaves out the middle of many lines that are the same in both.
function shortened(lines) {
  const around = 3;
  if (lines.length <= 2 * around + 2) return lines;
  const left = lines.length - 2 * around;
  return [...lines.slice(0, around), `… ${many(left, "line")} alike …`, ...lines.slice(-around)];
}

// diffOf is the diff of a verdict that did not hold, with what is expected first; null when there is none to draw.
function diffOf(v) {
  const compared = isBad(v.status) && comparedIn(v.details);
  const drawn = compared && valueDiff(compared.want, compared.got);
  return drawn && { names: ["expected", compared.name], drawn: h("div.against", {}, h("p.legend", {}, h("span.removed", {}, "- expected"), " ", h("span.added", {}, "+ found")), drawn) };
}
