// Two texts word by word: what both have, what one alone has.

const MOST_CELLS = 1_000_000; // the product of the numbers of words that are compared

// wordsOf splits a text into words, spaces and signs, as package comparison does: put together they are the text.
const wordsOf = (text) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

// wordDiff returns pieces {kind, text}, where kind is "both", "removed" or "added"; null when the texts are too long.
function wordDiff(was, now) {
  return sequenceDiff(wordsOf(was), wordsOf(now))?.map(({ kind, items }) => ({ kind, text: items.join("") }));
}

// sequenceDiff compares two lists by a longest common subsequence, removed items before added ones.
function sequenceDiff(a, b) {
  let [head, tail] = [0, 0];
  const least = Math.min(a.length, b.length);
  while (head < least && a[head] === b[head]) head++;
  while (tail < least - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const [n, m] = [a.length - head - tail, b.length - head - tail];
  if (n * m > MOST_CELLS) return null;
  const width = m + 1;
  const common = new Uint32Array((n + 1) * width); // of a[i:] and b[j:]
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      common[i * width + j] =
        a[head + i] === b[head + j]
          ? common[(i + 1) * width + j + 1] + 1
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const out = [];
  let [removed, added] = [[], []];
  const flush = () => {
    if (removed.length) out.push({ kind: "removed", items: removed });
    if (added.length) out.push({ kind: "added", items: added });
    [removed, added] = [[], []];
  };
  const both = (item) => {
    flush();
    if (out.at(-1)?.kind === "both") out.at(-1).items.push(item);
    else out.push({ kind: "both", items: [item] });
  };
  for (const item of a.slice(0, head)) both(item);
  let [i, j] = [0, 0];
  while (i < n || j < m) {
    if (i < n && j < m && a[head + i] === b[head + j]) [i, j] = (both(a[head + i]), [i + 1, j + 1]);
    else if (j >= m || (i < n && common[(i + 1) * width + j] >= common[i * width + j + 1])) removed.push(a[head + i++]);
    else added.push(b[head + j++]);
  }
  for (const item of a.slice(a.length - tail)) both(item);
  flush();
  return out;
}

const PIECES = { both: "span", removed: "del", added: "ins" };

// marked is a text with its pieces as elements: what was removed struck out, what was added marked.
const marked = (kind, pieces) =>
  h(kind, { dir: "auto" }, pieces.map((p) => (p.kind === "both" ? p.text : h(PIECES[p.kind], {}, p.text))));

// marksOf holds the words of several texts against those of one of them, the base: for each text a list of its words
// and of whether each is marked. A text is marked where the base says otherwise, the base where any of them does. null
// stands for a text that has little in common with the base, or is too long.
function marksOf(texts, base) {
  const own = wordsOf(texts[base]);
  const missing = own.map(() => false);
  const all = texts.map((text, i) => {
    if (i === base || !text || !texts[base]) return null;
    const diff = text.length + texts[base].length < 40_000 ? sequenceDiff(own, wordsOf(text)) : null;
    const letters = (kind) => diff.filter((p) => p.kind === kind).reduce((n, p) => n + p.items.join("").trim().length, 0);
    if (!diff || letters("both") < 0.4 * text.trim().length) return null;
    let at = 0;
    for (const { kind, items } of diff) {
      if (kind === "removed") items.forEach((_, k) => (missing[at + k] = true));
      if (kind !== "added") at += items.length;
    }
    return joined(diff.filter((p) => p.kind !== "removed").flatMap((p) => p.items.map((w) => [w, p.kind === "added"])));
  });
  all[base] = joined(own.map((w, i) => [w, missing[i]]));
  return all;
}

// joined marks the spaces between marked words too, and leaves single spaces alone.
function joined(marked) {
  const space = ([w]) => /^\s/.test(w);
  return marked.map(([w, on], i) => [w, space([w]) ? Boolean(marked[i - 1]?.[1] && marked[i + 1]?.[1]) : on]);
}

// withMarks is a text whose marked words stand in elements.
function withMarks(kind, tag, list) {
  const el = h(kind, { dir: "auto" });
  for (let i = 0; i < list.length; ) {
    let end = i;
    while (end < list.length && list[end][1] === list[i][1]) end++;
    const text = list.slice(i, end).map(([w]) => w).join("");
    el.append(list[i][1] ? h(tag, {}, text) : visible(text));
    i = end;
  }
  return el;
}
