// Which one do I take? A row of totals a provider, and a sentence that names the best of each.

// totalsOf sums the trials of each provider. Trials that were skipped or stopped are in no rate.
function totalsOf(report) {
  const all = new Map();
  for (const t of report.trials) {
    const name = report.where(t);
    if (!all.has(name)) {
      const at = { provider: report.providers[t.provider], region: report.regions[t.region] };
      all.set(name, { name, at, trials: 0, judged: 0, passed: 0, failed: 0, errors: 0, usd: 0, priced: 0, unknown: 0, simulated: 0, tokens: 0, latencies: [], ran: new Set() });
    }
    const p = all.get(name);
    p.trials++;
    p.ran.add(`${t.scenario} ${t.trial}`);
    p.tokens += t.tokens;
    p.latencies.push(...(t.latencies ?? []));
    if (t.simulated) p.simulated++;
    if (known(t.usd) && t.calls > 0) [p.usd, p.priced] = [p.usd + t.usd, p.priced + 1];
    else if (t.calls > 0) p.unknown++;
    if (t.status === "skipped" || t.status === "cancelled") continue;
    p.judged++;
    if (t.status === "passed") p.passed++;
    else if (t.status === "failed") p.failed++;
    else p.errors++;
  }
  for (const p of all.values()) {
    p.latencies.sort((a, b) => a - b);
    p.rate = p.judged ? p.passed / p.judged : null;
    p.each = p.priced && !p.unknown && !p.simulated ? p.usd / p.priced : null;
    p.median = p.latencies.length ? quantile(p.latencies, 0.5) : null;
    p.tail = p.latencies.length ? quantile(p.latencies, 0.95) : null;
  }
  return [...all.values()].sort(
    (a, b) => (b.rate ?? -1) - (a.rate ?? -1) || (a.each ?? Infinity) - (b.each ?? Infinity) || compare(a.name, b.name),
  );
}

// leaders are those with the best value, unless all have it or one value is not known.
function leaders(all, value) {
  const values = all.map(value);
  if (!values.every(known)) return [];
  const best = Math.max(...values);
  const led = all.filter((p) => value(p) === best);
  return led.length < all.length ? led : [];
}

const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

// byChance reports whether two rates differ by no more than equal providers often do: by less than two standard errors.
function byChance(a, b) {
  const mean = (a.passed + b.passed) / (a.judged + b.judged);
  return a.rate - b.rate < 2 * Math.sqrt(mean * (1 - mean) * (1 / a.judged + 1 / b.judged));
}

// answer is the sentence: who passes most, costs least and answers fastest.
function answer(all, best) {
  const [first] = all;
  if (all.some((p) => p.ran.size !== first.ran.size || [...p.ran].some((x) => !first.ran.has(x))))
    return "They did not run the same trials, so that their numbers cannot be compared.";
  const words = new Map();
  const add = (led, one, more) => {
    const names = listed(led.map((p) => p.name));
    if (names) words.set(names, [...(words.get(names) ?? []), led.length > 1 ? more : one]);
  };
  const { passes, costs, answers } = best;
  if (passes.length) {
    const rest = all.find((p) => !passes.includes(p));
    const doubt = byChance(passes[0], rest) ? "; the lead may be chance" : "";
    const of = ` (${count(passes[0].passed)} of ${count(passes[0].judged)}${doubt})`;
    add(passes, `passes most${of}`, `pass most${of}`);
  }
  const each = costs.length && ` (${money(costs[0].each)} a trial)`;
  add(costs, `costs least${each}`, `cost least${each}`);
  const median = answers.length && ` (${latency(answers[0].median)} in the median)`;
  add(answers, `answers fastest${median}`, `answer fastest${median}`);
  const parts = [...words].map(([names, what], i) => [i > 0 && "; ", h("b", { dir: "auto" }, names), ` ${listed(what)}`]);
  if (!passes.length && all.every((p) => known(p.rate))) parts.unshift(`All pass ${percent(first.rate)}${parts.length ? "; " : ""}`);
  return parts.length ? [...parts, "."] : null;
}

function rateBar(p) {
  const words = [p.failed && `${count(p.failed)} failed`, p.errors && many(p.errors, "error")].filter(Boolean);
  return h(
    "div",
    {},
    h("span.share-of", {}, known(p.rate) ? percent(p.rate) : "–"),
    svg(
      "svg",
      { viewBox: `0 0 ${Math.max(p.judged, 1)} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "passed", width: p.passed, height: 1 }),
      svg("rect", { class: "failed", x: p.passed, width: p.failed, height: 1 }),
      svg("rect", { class: "error", x: p.passed + p.failed, width: p.errors, height: 1 }),
    ),
    h("small", {}, `${count(p.passed)} of ${count(p.judged)}${words.length ? `, ${words.join(", ")}` : ""}`),
  );
}

const simulatedMark = (is) => Boolean(is) && h("small.simulated", {}, " simulated");

// providers is the table, the most passes first; nothing when there is one provider only.
function providers(report) {
  const all = totalsOf(report);
  if (all.length < 2) return null;
  const best = {
    passes: leaders(all, (p) => p.rate),
    costs: leaders(all, (p) => known(p.each) ? -p.each : null),
    answers: leaders(all, (p) => known(p.median) ? -p.median : null),
  };
  const cost = (p) => {
    if (!p.priced) return p.unknown ? "unknown" : "–";
    return [money(p.usd), simulatedMark(p.simulated), p.unknown > 0 && h("small", {}, ` ${count(p.unknown)} unknown`)];
  };
  const cell = (label, led, p, ...text) => {
    const leads = led?.includes(p);
    return h(leads ? "td.best" : "td", { "data-label": label }, text, leads && unseen(" (best)"));
  };
  const row = (p) => {
    const region = report.regions.length > 1 ? { region: p.at.region } : {};
    const rate = cell(null, best.passes, p, rateBar(p));
    rate.classList.add("rate");
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, h("a", { href: toList({ provider: p.at.provider, ...region }), dir: "auto" }, p.name)),
      rate,
      cell("cost", null, p, cost(p)),
      cell("a trial", best.costs, p, known(p.each) ? money(p.each) : p.simulated ? "simulated" : "–"),
      cell("median", best.answers, p, known(p.median) ? latency(p.median) : "–"),
      cell("p95", null, p, known(p.tail) ? latency(p.tail) : "–"),
      cell("tokens", null, p, count(p.tokens)),
    );
  };
  const heads = ["Provider", "Passed", "Cost", "Cost a trial", "Reply, median", "p95", "Tokens"];
  return h(
    "section.card.providers",
    {},
    h("h2", {}, "Providers", h("small", {}, " most passes first")),
    h("p.answer", {}, answer(all, best)),
    h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": "Totals by provider" },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, heads.map((text, i) => h(i === 1 ? "th.rate" : "th", { scope: "col" }, text)))),
        h("tbody", {}, all.map(row)),
      ),
    ),
  );
}
