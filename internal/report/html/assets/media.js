// Media: pictures, sounds, films and documents. Each stands in the page once, as text of seven bits a character.

const PICTURES = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
const SOUNDS = /^audio\/(mpeg|mp3|mp4|aac|ogg|opus|webm|flac|wav|wave|x-wav)$/;
const FILMS = /^video\/(mp4|webm|ogg)$/;
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;
const SUM = /^[0-9a-f]{64}$/;

// eights are the bytes of a text of seven bits a character.
function eights(text) {
  const bytes = new Uint8Array(Math.floor((text.length * 7) / 8));
  let [bits, n, at] = [0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const v = c === 0xc0 ? 0 : c === 0xc1 ? 13 : c === 0xc2 ? 60 : c;
    bits = (bits << 7) | v;
    n += 7;
    if (n >= 8) {
      n -= 8;
      bytes[at++] = bits >> n;
      bits &= (1 << n) - 1;
    }
  }
  return bytes;
}

const unpackedMedia = new Map(); // hash and type → address

// mediumAddress is the address of a medium that is part of the page; "" is none.
function mediumAddress(sum, type) {
  const key = `${sum} ${type}`;
  if (!unpackedMedia.has(key)) {
    const block = byId(`medium-${sum}`);
    // Nothing but what a browser only shows has its type: a page or a drawing is bytes to save.
    const plain = PICTURES.test(type) || SOUNDS.test(type) || FILMS.test(type) ? type : "application/octet-stream";
    unpackedMedia.set(key, block ? URL.createObjectURL(new Blob([eights(block.textContent)], { type: plain })) : "");
  }
  return unpackedMedia.get(key);
}

let mediaFiles; // hash → file beside the page

function fileBeside(sum) {
  mediaFiles ??= JSON.parse(byId("media")?.textContent ?? "{}");
  return Object.hasOwn(mediaFiles, sum) ? mediaFiles[sum] : "";
}

// The extensions of what is saved. Nothing that a browser runs is among them.
const EXTENSIONS = new Map([
  ["application/pdf", ".pdf"],
  ["text/plain", ".txt"],
  ["text/markdown", ".md"],
  ["text/csv", ".csv"],
  ["application/json", ".json"],
  ["audio/mpeg", ".mp3"],
  ["video/quicktime", ".mov"],
]);

function extensionOf(type, file) {
  const shown = PICTURES.test(type) || SOUNDS.test(type) || FILMS.test(type);
  return /\.[a-z0-9]+$/.exec(file)?.[0] ?? EXTENSIONS.get(type) ?? (shown ? `.${type.replace(/^.*\/(x-)?/, "")}` : ".bin");
}

// saveName is a file name for a medium, with the extension of its file or type and nothing of a path.
function saveName(m, type, file) {
  const base = (m.source ?? "").split(/[?#]/)[0].split(/[\\/]/).pop().replace(/\.[^.]*$/, "");
  return (base.replace(/[^\p{L}\p{N}_-]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "medium") + extensionOf(type, file);
}

// saved is a link that saves a medium. It is the one link that leads to no place of the report.
function saved(address, name, text) {
  const link = h("a.save", { download: name }, text);
  link.href = address;
  return link;
}

function byteCount(n) {
  if (n < 1000) return many(n, "byte");
  return n < 1e6 ? `${(n / 1e3).toFixed(n < 1e4 ? 1 : 0)} kB` : `${(n / 1e6).toFixed(1)} MB`;
}

// mediaPart shows media that are part of the page, and links to the files of others beside it. What lies elsewhere is
// named, never fetched and never linked.
function mediaPart(part) {
  const m = part.media ?? {};
  const type = (m.mime_type ?? "").toLowerCase();
  const sum = SUM.test(m.sha256 ?? "") ? m.sha256 : "";
  const about = [
    part.type,
    m.mime_type,
    m.width && m.height && `${m.width}×${m.height}`,
    m.size && byteCount(m.size),
    m.caption,
    m.source && oneLine(m.source, 200),
  ]
    .filter(Boolean)
    .join(" · ");
  let data = m.data && BASE64.test(m.data) ? `data:${type};base64,${m.data.replace(/\s/g, "")}` : "";
  if (!data && sum) data = mediumAddress(sum, type);
  const name = m.caption || part.type;
  let shown = null;
  if (data && PICTURES.test(type)) shown = h("img", { src: data, alt: m.caption || "picture", loading: "lazy" });
  else if (data && SOUNDS.test(type))
    shown = h("audio", { src: data, controls: true, preload: "metadata", "aria-label": m.caption || "sound" });
  else if (data && FILMS.test(type))
    shown = h("video", { src: data, controls: true, preload: "metadata", "aria-label": m.caption || "film" });
  const file = sum && fileBeside(sum);
  let link = null;
  if (sum && data) link = saved(data, saveName(m, type, file), `Save ${name}`);
  else if (file) link = saved(file, saveName(m, type, file), "Save the file beside this page");
  const elsewhere = m.url || m.path;
  return h(
    "figure",
    {},
    shown,
    h(
      "figcaption",
      { dir: "auto" },
      about,
      link && [" · ", link],
      elsewhere && h("span.elsewhere", {}, ` · not part of the report: ${oneLine(elsewhere, 200)}`),
      !shown && !elsewhere && !link && " · not shown",
    ),
  );
}
