// Free-text search over the conversations. Blocks are unpacked one after the other, and what is found is shown while
// the search goes on; the texts are kept, up to a limit, so that the next search is instant.

const KEEP = 48 << 20; // characters of text

// words splits a query: every word must occur; a quoted part is one word.
function words(query) {
  return Array.from(query.matchAll(/"([^"]+)"?|(\S+)/g), (m) => (m[1] ?? m[2]).toLowerCase());
}

// textOf joins what was said and what was found in a trial: no system prompt, which all trials share, and no media.
function textOf(trial) {
  const out = [trial.id, trial.error, trial.description];
  const part = (p) => out.push(p.text, p.media?.caption);
  const message = (m) => {
    out.push(m.content);
    m.parts?.forEach(part);
    m.tool_calls?.forEach((c) => out.push(c.name, c.bad_args, c.args && JSON.stringify(c.args)));
    if (m.tool_result) out.push(m.tool_result.error, m.tool_result.content !== m.content && m.tool_result.content);
    m.tool_result?.parts?.forEach(part);
  };
  const verdict = (v) => {
    out.push(v.check || v.type, v.message, v.explanation, v.error, v.skip_reason);
    v.judgements?.forEach((j) => out.push(j.reasoning !== v.explanation && j.reasoning));
  };
  for (const turn of trial.turns ?? []) {
    const messages = turn.messages ?? [];
    if (!messages.some((m) => m.role === "user")) out.push(turn.user);
    if (!messages.length) {
      out.push(turn.assistant);
      turn.tool_calls?.forEach((c) => out.push(c.name, JSON.stringify(c.args), c.result, c.error));
    }
    messages.forEach(message);
    turn.composition?.steps?.forEach((step) => {
      out.push(step.id, step.error, known(step.output) && valueText(step.output));
      step.messages?.forEach((m) => m.role !== "system" && message(m));
    });
    out.push(turn.error, turn.not_run);
    turn.assertions?.forEach(verdict);
  }
  trial.conversation_assertions?.forEach(verdict);
  return out.filter(Boolean).join("\n");
}

class Search {
  constructor(report) {
    this.report = report;
    this.texts = []; // by trial index; missing ones are read again
    this.kept = 0;
    this.run = 0;
    this.clear();
  }

  clear() {
    this.run++;
    this.query = "";
    this.found = null; // set of indexes; null: no search
    this.snippets = new Map();
    this.done = 1; // share of the trials that were looked at
  }

  // start looks for a query and calls onProgress now and then, and once at the end. A later start ends this one.
  async start(query, onProgress) {
    this.clear();
    const wanted = words(query);
    if (!wanted.length) return onProgress();
    const run = this.run;
    this.query = query;
    this.found = new Set();
    this.done = 0;
    let shown = performance.now();
    for (let block = 0; block < this.report.blocks.length; block++) {
      await this.look(block, wanted, () => run !== this.run);
      if (run !== this.run) return;
      this.done = (block + 1) / this.report.blocks.length;
      if (performance.now() - shown > 120 && this.done < 1) {
        onProgress();
        await new Promise((resume) => setTimeout(resume));
        if (run !== this.run) return;
        shown = performance.now();
      }
    }
    onProgress();
  }

  async look(block, wanted, stopped) {
    const { blocks, trials } = this.report;
    const [first, end] = [blocks[block], blocks[block + 1] ?? trials.length];
    let lines;
    for (let i = first; i < end; i++) {
      let text = this.texts[i];
      if (text === undefined) {
        lines ??= await this.report.lines(block);
        if (stopped()) return;
        const line = lines[i - first];
        text = textOf(JSON.parse(line.slice(line.indexOf("\t") + 1)));
        this.keep(i, text);
      }
      const lower = text.toLowerCase();
      if (wanted.every((word) => lower.includes(word))) {
        this.found.add(i);
        this.snippets.set(i, snippet(text, lower, wanted[0]));
      }
    }
  }

  keep(i, text) {
    if (this.kept + text.length > KEEP) return;
    this.kept += text.length;
    this.texts[i] = text;
  }
}

// snippet is the first place of a word with a little text around it: [before, the word, after].
function snippet(text, lower, word) {
  const at = lower.indexOf(word);
  const clean = (s) => s.replace(/\s+/g, " ");
  const from = Math.max(0, at - 32);
  const to = at + word.length;
  return [
    (from > 0 ? "…" : "") + clean(text.slice(from, at)),
    clean(text.slice(at, to)),
    clean(text.slice(to, to + 160)) + (to + 160 < text.length ? "…" : ""),
  ];
}

// highlight marks the words of a query in an element, without changing it, where the browser can.
function highlight(root, query) {
  if (!CSS.highlights) return;
  CSS.highlights.delete("found");
  const wanted = words(query);
  if (!wanted.length) return;
  const marks = new Highlight();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && marks.size < 2000; node = walker.nextNode()) {
    const lower = node.data.toLowerCase();
    if (lower.length !== node.data.length) continue; // positions would not agree
    for (const word of wanted) {
      for (let at = lower.indexOf(word); at >= 0 && marks.size < 2000; at = lower.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        marks.add(range);
      }
    }
  }
  CSS.highlights.set("found", marks);
}
