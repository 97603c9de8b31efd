// Elements are built from data only through h and svg: text becomes text, never markup.

// UNSEEN matches control, invisible and direction-changing characters, without the marks that are seen.
const UNSEEN = /(?![\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\ufffe\uffff]/u;
// After TAKES_JOINER a joiner may follow, after TAKES_SELECTOR a variation selector.
const TAKES_JOINER = /^(?:(?=\p{L}|\p{M})[\u0590-\u1fff\ua800-\uabff\u{10a00}-\u{16fff}]|(?=\p{S})[\u2000-\u{10ffff}]|\ufe0f)$/u;
const TAKES_SELECTOR = /^(?:[0-9#*©®]|(?=\p{L}|\p{S}|\p{P})[\u1000-\u{10ffff}])$/u;

// isHidden reports whether a character that follows before could not be seen, or would be seen in the wrong place.
function isHidden(c, before) {
  if (!UNSEEN.test(c)) return false;
  if (c === "\u200c" || c === "\u200d") return !TAKES_JOINER.test(before);
  return !/\p{Variation_Selector}/u.test(c) || !TAKES_SELECTOR.test(before);
}

// signOf returns the visible sign for a hidden character.
function signOf(c) {
  const code = c.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "␡" : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

// visible replaces hidden characters by visible signs, as Clean of internal/report/show does. Tabs and newlines stay.
function visible(text) {
  text = String(text);
  if (!UNSEEN.test(text)) return text;
  let out = "";
  let before = "";
  for (const c of text.replaceAll("\r\n", "\n")) {
    before = isHidden(c, before) ? "" : c;
    out += before || signOf(c);
  }
  return out;
}

function fill(el, attrs, children) {
  for (const [key, value] of Object.entries(attrs)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") el.addEventListener(key.slice(2), value);
    else el.setAttribute(key, value === true ? "" : visible(value));
  }
  for (const child of children.flat(2)) {
    if (child === undefined || child === null || child === false) continue;
    el.append(child instanceof Node ? child : visible(child));
  }
  return el;
}

// h builds an element: h("p.note", {title: "x", onclick: f}, "text", child). Missing children are left out. Links go to
// places of this report only.
function h(tag, attrs = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  if (attrs.href && !attrs.href.startsWith("#")) throw new Error("a link out of the report");
  const el = document.createElement(name);
  if (classes.length) el.className = classes.join(" ");
  return fill(el, attrs, children);
}

// svg builds an element of a drawing.
function svg(tag, attrs = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attrs, children);
}

const byId = (id) => document.getElementById(id);

// unseen is text for screen readers only.
const unseen = (text) => h("span.unseen", {}, text);

// say tells screen readers what changed.
function say(text) {
  byId("live").textContent = text;
}

// later returns a function that runs f once, some milliseconds after its last call.
function later(f, ms) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), ms);
  };
}
