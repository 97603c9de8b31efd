// Words for values, the same as in the other reports. What is not known is written "unknown".

// The statuses, worst first.
const STATUS = new Map([
  ["failed", "✗"],
  ["error", "!"],
  ["undecided", "?"], // of groups of trials
  ["cancelled", "◌"],
  ["passed", "✓"],
  ["skipped", "–"],
]);
const RANK = new Map([...STATUS.keys()].map((status, rank) => [status, rank]));

const isBad = (status) => status === "failed" || status === "error";

// badge is the sign of a status with its word; the word may be for screen readers only.
function badge(status, { word = status, bare = false } = {}) {
  return h(
    `span.badge.${RANK.has(status) ? status : "error"}`,
    {},
    h("span.sign", { "aria-hidden": "true" }, STATUS.get(status) ?? "!"),
    bare ? unseen(word) : ` ${word}`,
  );
}

const grouped = new Intl.NumberFormat("en-US");
const count = (n) => grouped.format(n);
const many = (n, one, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

function money(usd) {
  if (!Number.isFinite(usd)) return "unknown";
  if (usd < 0) return `-${money(-usd)}`;
  if (usd === 0) return "$0";
  if (usd >= 0.995) return `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  if (usd >= 0.0001) return `$${usd.toFixed(4)}`;
  return `$${usd.toFixed(Math.min(1 - Math.floor(Math.log10(usd)), 15)).replace(/0+$/, "")}`; // two digits that are not zero
}

// paid is money, and how much of it mocks made up and nobody paid.
function paid(usd, simulated = 0) {
  if (!Number.isFinite(usd) || !(simulated > 0)) return money(usd);
  return simulated >= usd * (1 - 1e-9) ? `${money(usd)} simulated` : `${money(usd)}, ${money(simulated)} of it simulated`;
}

function seconds(ms) {
  const tenths = Math.round(ms / 100);
  if (tenths <= 600) return `${(tenths / 10).toFixed(1)}s`;
  const s = Math.round(ms / 1000);
  const two = (n) => String(n).padStart(2, "0");
  return s < 3600
    ? `${Math.floor(s / 60)}m ${two(s % 60)}s`
    : `${Math.floor(s / 3600)}h ${two(Math.floor(s / 60) % 60)}m`;
}

// latency is seconds, with milliseconds where tenths of a second would say nothing.
const latency = (ms) => (ms < 100 ? `${Math.ceil(ms)}ms` : seconds(ms));

// percent writes a share of 0..1. Only all of it is 100%, and only none is 0%.
function percent(share) {
  if (share >= 1 || share <= 0) return share >= 1 ? "100%" : "0%";
  return `${Math.min(Math.max(Math.round(share * 1000) / 10, 0.1), 99.9)}%`;
}

// score writes 0..1 with two decimals, and with more where two would round it to a 1 or a 0 that it is not.
function score(x) {
  const text = x.toFixed(2);
  return (text === "1.00" && x !== 1) || (text === "0.00" && x !== 0) ? String(x) : text;
}

// place is file:line:col without the parts that are not known.
function place(pos) {
  if (!pos?.file) return "";
  return [pos.file, pos.line, pos.line && pos.col].filter(Boolean).join(":");
}
