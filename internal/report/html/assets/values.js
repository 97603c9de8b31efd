// Values of any shape and size, shown whole but folded when they are long.

const LONG = { chars: 3000, lines: 40, shownChars: 1200, shownLines: 16 };

function lineEnd(text, n) {
  let at = -1;
  while (n-- > 0) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return -1;
  }
  return at;
}

// longText is a text, folded after its beginning when it is long.
function longText(text, kind = "div.text") {
  const tooMany = lineEnd(text, LONG.lines) >= 0;
  if (text.length <= LONG.chars && !tooMany) return h(kind, { dir: "auto" }, text);
  const line = lineEnd(text, LONG.shownLines);
  let cut = Math.min(LONG.shownChars, line < 0 ? Infinity : line);
  if (/[\ud800-\udbff]/.test(text[cut - 1])) cut--; // not within a pair
  const shown = h(kind, { dir: "auto" }, text.slice(0, cut));
  const fold = h("button.unfold", {
    type: "button",
    "aria-expanded": "false",
    onclick: () => {
      const open = fold.getAttribute("aria-expanded") === "true";
      shown.textContent = visible(open ? text.slice(0, cut) : text);
      fold.setAttribute("aria-expanded", String(!open));
      fold.textContent = open ? label : "Show less";
    },
  });
  const label = `Show all ${count(text.length)} characters`;
  fold.textContent = label;
  return h("div.long", {}, shown, fold);
}

// json writes a value as JSON; indent 0 is one line.
function json(value, indent = 2) {
  try {
    return JSON.stringify(value, null, indent) ?? String(value);
  } catch {
    return "nested too deep to be shown";
  }
}

const code = (value) => longText(typeof value === "string" ? value : json(value), "pre.code");

// pretty shows a text that may be JSON.
function pretty(text) {
  if (/^\s*[[{]/.test(text)) {
    try {
      return code(parseTrial(text));
    } catch {
      // it only looked like JSON
    }
  }
  return code(text);
}

// oneLine cuts a text for a summary.
function oneLine(text, limit = 120) {
  const line = visible(text.slice(0, limit * 4))
    .replace(/\s+/g, " ")
    .trim();
  return line.length > limit || text.length > limit * 4 ? `${[...line].slice(0, limit).join("")}…` : line;
}

const isScalar = (v) => v === null || typeof v !== "object";

function showValue(key, value) {
  if (/(^|_)usd$/.test(key) && typeof value === "number") return money(value);
  if (/_ms$/.test(key) && typeof value === "number") return latency(value);
  if (typeof value === "string") return longText(value);
  if (typeof value === "number") return String(Math.round(value * 1e6) / 1e6);
  if (Array.isArray(value) && !value.length) return "none";
  if (Array.isArray(value) && value.length <= 12 && value.every((v) => typeof v === "string" && v.length < 80)) {
    return h(
      "ul.flat",
      {},
      value.map((v) => h("li", { dir: "auto" }, v)),
    );
  }
  return isScalar(value) ? String(value) : code(value);
}

// pairs is a list of names and values; missing values are left out, as are those of a condition that does not hold.
const pairs = (kind, entries) =>
  h(
    kind,
    {},
    entries
      .filter(([, value]) => known(value) && value !== "" && value !== false)
      .map(([key, value]) => h("div", {}, h("dt", { dir: "auto" }, key), h("dd", {}, value))),
  );
