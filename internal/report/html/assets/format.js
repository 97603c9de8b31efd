// Words for values. What is not known is written "unknown".

// The statuses, worst first.
const STATUS = new Map([
  ["failed", "✗"],
  ["error", "!"],
  ["cancelled", "◌"],
  ["passed", "✓"],
  ["skipped", "–"],
]);
const RANK = new Map([...STATUS.keys()].map((status, rank) => [status, rank]));

const isBad = (status) => status === "failed" || status === "error";

// badge is the sign of a status with its word; the word may be for screen readers only.
function badge(status, { word = status, bare = false } = {}) {
  return h(`span.badge.${RANK.has(status) ? status : "error"}`, {},
    h("span.sign", { "aria-hidden": "true" }, STATUS.get(status) ?? "!"), bare ? unseen(word) : ` ${word}`);
}

const grouped = new Intl.NumberFormat("en-US");
const count = (n) => grouped.format(n);
const many = (n, one, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

function money(usd) {
  if (usd === null || usd === undefined) return "unknown";
  if (usd === 0) return "$0";
  if (Math.abs(usd) >= 1) return `$${usd.toFixed(2)}`;
  return `$${usd.toFixed(Math.min(Math.max(4, 1 - Math.floor(Math.log10(Math.abs(usd)))), 20))}`;
}

function seconds(ms) {
  if (ms < 100) return `${Math.ceil(ms)}ms`;
  if (ms < 59950) return `${(ms / 1000).toFixed(1)}s`;
  if (ms < 3600000) {
    const s = Math.round(ms / 1000);
    return `${Math.floor(s / 60)}m ${s % 60}s`;
  }
  const m = Math.round(ms / 60000);
  return `${Math.floor(m / 60)}h ${m % 60}m`;
}

// decimal writes a score or a rate with at most three digits after the point.
const decimal = (x) => String(Math.round(x * 1000) / 1000);

const percent = (x) => `${Math.round(x * 100)}%`;

// place is file:line:col without the parts that are not known.
function place(pos) {
  if (!pos?.file) return "";
  return [pos.file, pos.line, pos.line && pos.col].filter(Boolean).join(":");
}
