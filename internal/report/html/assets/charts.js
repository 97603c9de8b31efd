// Small drawings of how values are spread, one strip a provider, all on one axis.

const BINS = 48;

function quantile(sorted, q) {
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (at - low);
}

// axis maps values to 0..1: by their logarithm when they span much, else evenly from zero.
function axis(values) {
  const least = values.find((v) => v > 0) ?? 1;
  const most = Math.max(values.at(-1), least);
  if (most / least > 40) {
    const [a, b] = [Math.log(least), Math.log(most)];
    return { at: (v) => (v <= least ? 0 : (Math.log(v) - a) / (b - a)), ends: [least, most], log: true };
  }
  return { at: (v) => v / most, ends: [0, most], log: false };
}

// strip draws the spread of sorted values: a column for each step of the axis, a line at the median.
function strip(sorted, scale, label) {
  const bins = new Array(BINS).fill(0);
  for (const v of sorted) bins[Math.min(BINS - 1, Math.floor(scale.at(v) * BINS))]++;
  const most = Math.max(...bins);
  const x = (v) => Math.min(scale.at(v), 1) * BINS;
  const median = x(quantile(sorted, 0.5));
  const [low, high] = [x(quantile(sorted, 0.05)), x(quantile(sorted, 0.95))];
  return svg(
    "svg",
    { class: "strip", viewBox: `0 0 ${BINS} 20`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    bins.map(
      (n, i) =>
        n > 0 &&
        svg("rect", {
          class: "column",
          x: i + 0.08,
          width: 0.84,
          y: (17 * (1 - Math.sqrt(n / most) * 0.94)).toFixed(2),
          height: (17 * Math.sqrt(n / most) * 0.94).toFixed(2),
        }),
    ),
    svg("line", { class: "span", x1: low, x2: Math.max(high, low + 0.3), y1: 18.5, y2: 18.5 }),
    svg("line", { class: "median", x1: median, x2: median, y1: 0, y2: 20 }),
  );
}

// spread is a table of providers, each with the strip of its values, median and 95th percentile. Values that are not
// known are counted beside, never drawn.
function spread({ title, unit, series, write, note }) {
  const drawn = series.filter((s) => s.values.length);
  for (const s of drawn) s.values.sort((a, b) => a - b);
  if (!drawn.length) return null;
  const scale = axis(drawn.flatMap((s) => s.values).sort((a, b) => a - b));
  const row = (s) => {
    if (!s.values.length)
      return h("tr", {}, h("th", { scope: "row" }, s.name), h("td.rest", { colspan: "3" }, "unknown"));
    const [median, tail] = [write(quantile(s.values, 0.5)), write(quantile(s.values, 0.95))];
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row", dir: "auto", title: s.name },
        s.name,
        s.missing > 0 && h("small", {}, ` ${count(s.missing)} unknown`),
      ),
      h("td.draw", {}, strip(s.values, scale, `${many(s.values.length, unit)}, median ${median}, 95% within ${tail}`)),
      h("td.n", {}, median),
      h("td.n", {}, tail),
    );
  };
  return h(
    "section.card.spread",
    {},
    h("h2", {}, title, note && h("small", {}, ` ${note}`)),
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, unseen("Provider")),
          h(
            "td.ends",
            { "aria-hidden": "true" },
            h("span", {}, scale.log ? write(scale.ends[0]) : "0"),
            h("span", {}, write(scale.ends[1])),
          ),
          h("th.n", { scope: "col" }, "median"),
          h("th.n", { scope: "col", title: "95% are within" }, "p95"),
        ),
      ),
      h("tbody", {}, series.map(row)),
    ),
  );
}

// ranking is a list of checks, those that fail most first, each with a bar of failed and could-not-judge.
function ranking(report) {
  const bad = report.checks
    .filter((c) => c.failed + c.errors > 0)
    .sort((a, b) => b.failed + b.errors - a.failed - a.errors || compare(a.type, b.type));
  if (!bad.length) return null;
  const most = bad[0].failed + bad[0].errors;
  const words = (c) =>
    [c.failed && `${count(c.failed)} failed`, c.errors && many(c.errors, "error")].filter(Boolean).join(", ");
  const row = (c) =>
    h(
      "li",
      {},
      h("a", { href: toList({ check: c.type }), dir: "auto" }, c.type),
      h("span.n", {}, `${words(c)} of ${count(c.total)}`),
      svg(
        "svg",
        { class: "rank", viewBox: `0 0 ${most} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "failed", width: c.failed, height: 1 }),
        svg("rect", { class: "error", x: c.failed, width: c.errors, height: 1 }),
      ),
    );
  const rest = bad.slice(8);
  return h(
    "section.card",
    {},
    h("h2", {}, "Checks that fail most"),
    h("ol.ranking", {}, bad.slice(0, 8).map(row)),
    rest.length > 0 &&
      h("details", {}, h("summary", {}, `${count(rest.length)} more`), h("ol.ranking", {}, rest.map(row))),
  );
}
