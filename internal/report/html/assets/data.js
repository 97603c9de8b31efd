// The trials stand in the page as blocks of gzip in base64, unpacked when somebody looks at them.

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function unpack(id) {
  const packed = new Blob([bytesOf(byId(id).textContent)]).stream();
  return new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
}

// exactly keeps whole numbers that a float would round, such as long ids, where the browser can.
function exactly(key, value, context) {
  const exact = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "");
  return exact && JSON.rawJSON ? JSON.rawJSON(context.source) : value;
}

const parseTrial = (raw) => JSON.parse(raw, /\d{16}/.test(raw) ? exactly : undefined);

class Report {
  // open unpacks the index; everything about a trial that the overview and the list show is in it.
  static async open() {
    return new Report(JSON.parse(await unpack("index")));
  }

  constructor(index) {
    Object.assign(this, index);
    this.groups = this.run.groups ?? [];
    this.sides = this.providers.length > 1 || this.regions.length > 1;
    this.byId = new Map();
    this.trials.forEach((t, i) => {
      t.index = i;
      t.names = {
        status: [t.status],
        provider: [this.providers[t.provider]],
        region: [this.regions[t.region]],
        scenario: [this.scenarios[t.scenario].id],
        tag: (t.tags ?? []).map((n) => this.tags[n]),
        check: (t.failing ?? []).map((n) => this.checks[n].type),
      };
      if (!this.byId.has(t.id)) this.byId.set(t.id, t);
    });
    const mocks = this.trials.filter((t) => t.simulated).length;
    this.mixed = mocks > 0 && mocks < this.trials.length; // a mock answered in some trials, a model in others
    this.recent = new Map(); // block number → promise of its lines, the last used at the end
  }

  // lines returns the lines of a block, one for each of its trials. The last few blocks are kept.
  lines(block) {
    const lines = this.recent.get(block) ?? unpack(`trials-${block}`).then((text) => text.split("\n").slice(0, -1));
    this.recent.delete(block);
    this.recent.set(block, lines);
    if (this.recent.size > 12) this.recent.delete(this.recent.keys().next().value);
    return lines;
  }

  // load returns a whole trial, its JSON and the command that runs it again.
  async load(t) {
    let block = this.blocks.findIndex((first) => first > t.index);
    block = block < 0 ? this.blocks.length - 1 : block - 1;
    const line = (await this.lines(block))[t.index - this.blocks[block]];
    const tab = line.indexOf("\t");
    const raw = line.slice(tab + 1);
    return { raw, trial: parseTrial(raw), rerun: JSON.parse(line.slice(0, tab)) };
  }

  // where names the trial's provider, and the region when it is not the default one.
  where(t) {
    const [provider, region] = [this.providers[t.provider] || "no provider", this.regions[t.region]];
    return region && region !== "default" ? `${provider} · ${region}` : provider;
  }
}
