/** Runs the capability attempts in each mode, and judges what a page can judge. */
import { createSandboxPool } from "../../src/runtime/sandbox/frame.ts";
import type { Attack } from "./attack.ts";
import { attacks } from "./attacks.ts";
import { type Attempt, attackMod, attackText, attemptText, readAttempt, reportLeak } from "./attempt.ts";
import { compile, type Harness, sleep, within } from "./harness.ts";
import type { Mode, Outcome, Ports, Targets } from "./targets.ts";

const longest = 8_000;
/** Milliseconds for an attempt in a sandbox, which always ends: only a suite that hangs takes so long. */
const longestInSandbox = 300_000;

/** Attacks that a worker cannot even try, so that only a document shows whether the servers would hear of them. */
const documentAttempts = new Set([
  ...[
    "sharedworker",
    "sendbeacon",
    "webrtc-stun",
    "image-beacon",
    "css-import",
    "link-prefetch",
    "link-preload",
  ],
  ...[
    "form-submit",
    "iframe-src",
    "window-open",
    "self-navigate",
    "parent-dom",
    "cookie-read",
    "localstorage",
  ],
]);

/** One mode at a time, one attempt at a time. */
export async function runAttacks(mode: Mode, harness: Harness, ports: Ports): Promise<Outcome[]> {
  const heard = new Set<string>();
  const channel = new BroadcastChannel("midtoken-suite");
  channel.onmessage = ({ data }) => heard.add(String(data));
  // biome-ignore lint/suspicious/noDocumentCookie: a worker without a sandbox is to find it by the oldest way.
  document.cookie = "secret=1";
  const outcomes: Outcome[] = [];
  for (const attack of attacks) {
    // Without a scrubbed realm there are clocks and eval: the wall is asked about what leaves the worker.
    if (mode === "wall" && attack.judge === "report" && !attack.isAskedOfWall) continue;
    if (mode === "document" && !documentAttempts.has(attack.name)) continue;
    const targets = targetsOf(attack, mode, ports);
    const attempts = [await attempt(attack, mode, targets, harness)];
    if (attack.twice) attempts.push(await attempt(attack, mode, targets, harness));
    const leak = await judge(attack, targets.id, attempts, heard);
    outcomes.push({ name: attack.name, mode, leak, note: attempts[0]?.note ?? "" });
  }
  await sleep(500);
  channel.close();
  return outcomes;
}

function targetsOf(attack: Attack, mode: Mode, ports: Ports): Targets {
  const id = `${mode}-${attack.name}`;
  return {
    id,
    cross: `http://127.0.0.1:${ports.http}/hit/${id}`,
    same: `${location.origin}/hit/${id}`,
    socket: `ws://127.0.0.1:${ports.http}/hit/${id}`,
    stunPort: ports.stun[mode],
    quicPort: ports.quic[mode],
  };
}

function attempt(attack: Attack, mode: Mode, targets: Targets, harness: Harness): Promise<Attempt> {
  const what = `${attack.name} (${mode})`;
  if (mode === "control") return within(longest, inPlainWorker(attack, targets), what).catch(tooLate);
  if (mode === "document") return within(2_000, inPlainFrame(attack, targets), what).catch(tooLate);
  if (mode === "wall") return within(longest, behindTheWall(attack, targets), what).catch(tooLate);
  return within(longestInSandbox, inSandbox(attack, targets, harness), what);
}

/** An attempt that hangs (a nested worker that never starts) has reported nothing; the servers still listen. */
const tooLate = (error: unknown): Attempt => ({ report: undefined, note: String(error) });

async function inSandbox(attack: Attack, targets: Targets, harness: Harness): Promise<Attempt> {
  const { mod, note } = attackMod(attack, targets);
  const { replies } = await harness.run(mod, { deadlines: { prefilled: longest } });
  return readAttempt(replies[0], note);
}

/** A worker in the frame with nothing scrubbed: what the browser's own walls hold back. */
async function behindTheWall(attack: Attack, targets: Targets): Promise<Attempt> {
  const program = `postMessage("awake");\nself.onmessage = async ({ ports: [port] }) => {
  if (!port) return;
  ${attackText(attack, targets)}
  ${attemptText}
  port.postMessage({ report, note });
};`;
  const pool = createSandboxPool({ document, program });
  try {
    const { port } = await pool.spawn(compile("export default 1;"));
    return await new Promise((resolve) => {
      port.onmessage = ({ data }: MessageEvent<Attempt>) => resolve(data);
    });
  } finally {
    pool.dispose();
  }
}

async function inPlainWorker(attack: Attack, targets: Targets): Promise<Attempt> {
  const text = `${attackText(attack, targets)}(async () => {
  ${attemptText}
  postMessage({ report, note });
})();`;
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<Attempt>) => resolve(data);
    worker.onerror = (event) => resolve({ report: undefined, note: String(event.message) });
  });
}

/** A frame of this origin: where code with a document stands that no sandbox holds. */
async function inPlainFrame(attack: Attack, targets: Targets): Promise<Attempt> {
  const frame = document.createElement("iframe");
  const text = `${attackText(attack, targets)}(async () => {
  ${attemptText}
  parent.dispatchEvent(new CustomEvent(T.id, { detail: { report, note } }));
})();`;
  const attempted = new Promise<Attempt>((resolve) => {
    addEventListener(targets.id, (event) => resolve((event as CustomEvent<Attempt>).detail), { once: true });
  });
  frame.srcdoc = `<!doctype html><html><head></head><body><script>${text}</script></body></html>`;
  document.body.append(frame);
  return attempted.finally(() => frame.remove());
}

/** The page's own verdict; null leaves the verdict to the servers. */
async function judge(
  attack: Attack,
  id: string,
  attempts: readonly Attempt[],
  heard: ReadonlySet<string>,
): Promise<string | null> {
  return attack.judge === "page" ? pageLeak(attack.name, id, heard) : reportLeak(attack, attempts);
}

async function pageLeak(name: string, id: string, heard: ReadonlySet<string>): Promise<string | null> {
  const finds: Record<string, () => unknown> = {
    "parent-dom": () => document.title === id,
    localstorage: () => localStorage.getItem(id) !== null,
    indexeddb: async () => (await indexedDB.databases()).some((database) => database.name === id),
    cachestorage: () => caches.has(id),
    opfs: async () => {
      const folder = await navigator.storage.getDirectory();
      return folder.getFileHandle(id).then(
        () => true,
        () => false,
      );
    },
    cookiestore: () => document.cookie.includes(id),
    broadcastchannel: () => heard.has(id),
    weblocks: async () => ((await navigator.locks.query()).held ?? []).some((lock) => lock.name === id),
  };
  const find = finds[name];
  if (!find) throw new Error(`The suite does not know where to look for ${name}.`);
  return (await find()) ? `the page finds ${id}` : null;
}
