// Which one do I take? A row of totals a provider, and a sentence that names the best of each.
//
// First come those that pass the most scenarios, each by its own pass_threshold, then those that pass the most trials: a
// failure that the files tolerate makes no provider worse than one that is red.

// totalsOf sums the trials of each provider. Trials that were skipped or stopped, or that do not count, are in no rate. Values of single trials
// and replies are kept by what was asked, so that providers can be held against each other.
function totalsOf(report) {
  const all = new Map();
  const unjudged = (status) => status === "skipped" || status === "cancelled";
  for (const t of report.trials) {
    const name = report.where(t);
    if (!all.has(name)) {
      const at = { provider: report.providers[t.provider], region: report.regions[t.region] };
      const sums = { trials: 0, judged: 0, passed: 0, failed: 0, tolerated: 0, errors: 0, usd: 0, priced: 0, unknown: 0, simulated: 0, tokens: 0 };
      const asked = { ran: new Set(), passes: new Map(), costs: new Map(), replies: new Map(), groups: new Map() };
      all.set(name, { name, at, ...sums, ...asked, latencies: [] });
    }
    const p = all.get(name);
    const [one, group] = [`${t.scenario} ${t.session ?? ""}`, report.groups[t.group]];
    const same = `${one} ${t.trial}`;
    p.trials++;
    p.ran.add(same);
    p.tokens += t.tokens;
    p.latencies.push(...(t.latencies ?? []));
    t.latencies?.forEach((ms, i) => p.replies.set(`${same} ${i} of ${t.latencies.length}`, ms));
    if (t.simulated) p.simulated++;
    if (known(t.usd) && t.calls > 0) {
      [p.usd, p.priced] = [p.usd + t.usd, p.priced + 1];
      p.costs.set(same, t.usd);
    } else if (t.calls > 0) p.unknown++;
    const status = group?.status ?? (t.tolerated ? "passed" : t.status);
    if (!unjudged(status)) p.groups.set(group ? one : same, status === "passed" ? 1 : 0);
    p.several ||= Boolean(group);
    p.rows ||= known(t.session);
    if (unjudged(t.status) || t.uncounted) continue;
    p.judged++;
    p.passes.set(same, t.status === "passed" ? 1 : 0);
    if (t.status === "passed") p.passed++;
    else if (t.tolerated) p.tolerated++;
    else if (t.status === "failed") p.failed++;
    else p.errors++;
  }
  for (const p of all.values()) {
    p.latencies.sort((a, b) => a - b);
    p.held = [...p.groups.values()].reduce((sum, n) => sum + n, 0);
    p.share = p.groups.size ? p.held / p.groups.size : null;
    p.rate = p.judged ? p.passed / p.judged : null;
    p.each = p.priced && !p.unknown && !p.simulated ? p.usd / p.priced : null;
    p.median = p.latencies.length ? quantile(p.latencies, 0.5) : null;
    p.tail = p.latencies.length ? quantile(p.latencies, 0.95) : null;
  }
  return [...all.values()].sort(
    (a, b) =>
      (b.share ?? -1) - (a.share ?? -1) ||
      (b.rate ?? -1) - (a.rate ?? -1) ||
      (a.each ?? Infinity) - (b.each ?? Infinity) ||
      compare(a.name, b.name),
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

// WORTH is the least part by which a provider must be cheaper or faster than the next one to be called so: less changes
// from one hour to the next.
const WORTH = 0.1;

// surely are the leaders of whom it is no chance and worth telling: each is cheaper or faster than each of the others by
// more than WORTH, and also where both were asked the same, beyond chance.
function surely(all, value, same) {
  const led = leaders(all, (p) => known(value(p)) ? -value(p) : null);
  const ahead = (p, q) => value(q) > value(p) * (1 + WORTH) && !byChance(same(q), same(p));
  return led.every((p) => all.every((q) => led.includes(q) || ahead(p, q))) ? led : [];
}

// byChance reports whether providers that are alike often differ so: of what both were asked, a has the higher value in no
// more cases than the toss of a coin gives. It is the sign test, two-sided at 5% (Dixon and Mood, "The statistical sign
// test", Journal of the American Statistical Association 41, 1946), and of what passes or not the exact test of McNemar
// (Psychometrika 12, 1947). It takes at least 6 cases that differ, and asks nothing of how values are spread. It is about
// these scenarios and other trials of them.
function byChance(a, b) {
  let [more, less] = [0, 0];
  for (const [asked, value] of a) {
    if (!b.has(asked) || b.get(asked) === value) continue;
    if (value > b.get(asked)) more++;
    else less++;
  }
  const n = more + less;
  let [tail, log] = [0, -n * Math.LN2]; // log of C(n, k) / 2^n
  for (let k = 0; k <= less; k++) {
    tail += Math.exp(log);
    log += Math.log((n - k) / (k + 1));
  }
  return 2 * tail > 0.05;
}

const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

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
  const { holds, passes, costs, answers } = best;
  const most = (led, what, n, of, same) => {
    if (!led.length) return;
    const rest = all.find((p) => !led.includes(p));
    const doubt = byChance(same(led[0]), same(rest)) ? "; the lead may be chance" : "";
    const words = `most ${what} (${count(n(led[0]))} of ${count(of(led[0]))}${doubt})`;
    add(led, `passes ${words}`, `pass ${words}`);
  };
  const cases = all.some((p) => p.rows) ? "cases" : "scenarios"; // rows of datasets, sessions of recordings
  most(holds, cases, (p) => p.held, (p) => p.groups.size, (p) => p.groups);
  most(passes, "trials", (p) => p.passed, (p) => p.judged, (p) => p.passes);
  const each = costs.length && ` (${money(costs[0].each)} a trial)`;
  add(costs, `costs least${each}`, `cost least${each}`);
  const median = answers.length && ` (${latency(answers[0].median)} in the median)`;
  add(answers, `answers fastest${median}`, `answer fastest${median}`);
  const parts = [...words].map(([names, what], i) => [i > 0 && "; ", h("b", { dir: "auto" }, names), ` ${listed(what)}`]);
  if (!holds.length && all.every((p) => known(p.share)))
    parts.unshift(`All pass ${percent(first.share)}${first.several ? ` of the ${cases}` : ""}${parts.length ? "; " : ""}`);
  return parts.length ? [...parts, "."] : null;
}

function rateBar(p) {
  const words = [
    p.several && `${count(p.held)} of ${many(p.groups.size, p.rows ? "case" : "scenario")}`,
    `${count(p.passed)} of ${p.several ? many(p.judged, "trial") : count(p.judged)}`,
    p.tolerated && `${count(p.tolerated)} tolerated`,
    p.failed && `${count(p.failed)} failed`,
    p.errors && many(p.errors, "error"),
  ];
  let x = 0;
  const part = (name, width) => svg("rect", { class: name, x: (x += width) - width, width, height: 1 });
  return h(
    "div",
    {},
    h("span.share-of", {}, known(p.share) ? percent(p.share) : "–"),
    svg(
      "svg",
      { viewBox: `0 0 ${Math.max(p.judged, 1)} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
      part("passed", p.passed),
      part("tolerated", p.tolerated),
      part("failed", p.failed),
      part("error", p.errors),
    ),
    h("small", {}, words.filter(Boolean).join(", ")),
  );
}

const simulatedMark = (is) => Boolean(is) && h("small.simulated", {}, " simulated");

// providers is the table, the best first; nothing when there is one provider only.
function providers(report) {
  if (!report.sides) return null;
  const all = totalsOf(report);
  if (all.length < 2) return null;
  const holds = leaders(all, (p) => p.share);
  const best = {
    holds,
    passes: holds.length ? [] : leaders(all, (p) => p.rate),
    costs: surely(all, (p) => p.each, (p) => p.costs),
    answers: surely(all, (p) => p.median, (p) => p.replies),
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
    const rate = cell(null, best.holds.length ? best.holds : best.passes, p, rateBar(p));
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
    h("h2", {}, "Providers", h("small", {}, ` most ${all.some((p) => p.several) ? `${all.some((p) => p.rows) ? "cases" : "scenarios"} passed` : "passes"} first`)),
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
