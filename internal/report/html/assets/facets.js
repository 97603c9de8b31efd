// The filters above the list: chips for the statuses, a menu for each other facet, a pill for each value picked there.

const LABELS = { provider: "Provider", region: "Region", scenario: "Scenario", tag: "Tag", check: "Failing check" };
const SHOWN = 80; // values in an open menu; the rest is found by typing

// statusChips are toggles with counts.
class StatusChips {
  constructor(toggle) {
    this.chips = new Map(
      [...STATUS].map(([status, sign]) => {
        const n = h("span.n");
        return [
          status,
          {
            n,
            button: h(
              `button.chip.${status}`,
              { type: "button", onclick: () => toggle("status", status) },
              h("span.sign", { "aria-hidden": "true" }, sign),
              ` ${status} `,
              n,
            ),
          },
        ];
      }),
    );
    this.root = h(
      "div.chips",
      { role: "group", "aria-label": "Status" },
      [...this.chips.values()].map((c) => c.button),
    );
  }

  update(counts, picked, present) {
    for (const [status, { button, n }] of this.chips) {
      n.textContent = count(counts.get(status) ?? 0);
      button.setAttribute("aria-pressed", String(picked.has(status)));
      button.hidden = !present.has(status) && !picked.has(status);
    }
  }
}

// FacetMenu is a list of values to tick, the most frequent first.
class FacetMenu {
  constructor(facet, toggle, counts) {
    Object.assign(this, { facet, toggle, counts });
    const label = LABELS[facet];
    this.find = h("input", {
      type: "search",
      "aria-label": `Find: ${label}`,
      placeholder: "Find",
      oninput: () => this.draw(),
    });
    this.options = h("div.options", { role: "group", "aria-label": label });
    this.n = h("span.n");
    this.root = h(
      "details.facet",
      { ontoggle: () => this.root.open && this.opened() },
      h("summary", {}, label, this.n),
      h("div.menu", {}, this.find, this.options),
    );
  }

  update(picked) {
    this.picked = picked;
    this.n.textContent = picked.size ? ` ${picked.size}` : "";
    for (const box of this.options.querySelectorAll("input")) box.checked = picked.has(box.name);
  }

  opened() {
    this.find.value = "";
    this.draw();
    this.find.hidden = this.options.childElementCount < 9;
    (this.find.hidden ? this.options.querySelector("input") : this.find)?.focus();
  }

  draw() {
    const counts = this.counts(this.facet);
    for (const value of this.picked) if (!counts.has(value)) counts.set(value, 0);
    const text = this.find.value.toLowerCase();
    const values = [...counts]
      .filter(([value]) => value.toLowerCase().includes(text))
      .sort(([a, n], [b, m]) => this.picked.has(b) - this.picked.has(a) || m - n || compare(a, b));
    this.options.replaceChildren(
      ...values.slice(0, SHOWN).map(([value, n]) => {
        const box = h("input", { type: "checkbox", onchange: () => this.toggle(this.facet, value) });
        box.name = value;
        box.checked = this.picked.has(value);
        return h(
          "label",
          {},
          box,
          h("span", { dir: "auto", title: value }, value || "none"),
          h("span.n", {}, count(n)),
        );
      }),
      values.length > SHOWN ? h("p.hint", {}, `${count(values.length - SHOWN)} more: type to find them`) : "",
      values.length ? "" : h("p.hint", {}, "nothing to pick"),
    );
  }
}

// pills are the values picked in the menus; a click takes one away.
const pills = (picked, toggle) =>
  Object.keys(LABELS).flatMap((facet) =>
    [...picked[facet]].map((value) =>
      h(
        "button.pill",
        { type: "button", title: `Remove: ${value}`, onclick: () => toggle(facet, value) },
        h("span.key", {}, LABELS[facet]),
        " ",
        h("span", { dir: "auto" }, value || "none"),
        h("span", { "aria-hidden": "true" }, " ×"),
        unseen(" remove"),
      ),
    ),
  );
