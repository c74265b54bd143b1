/** Runs the protocol and denial-of-service attempts, and judges what the engine's side and the page made of them. */
import { createSandboxPool } from "../../src/runtime/sandbox/frame.ts";
import { compile, type Done, type Harness, within } from "./harness.ts";
import { benign, type Hostile, memoryHog } from "./hostile.ts";
import type { Outcome } from "./targets.ts";
import { verdict } from "./verdict.ts";

/** Milliseconds that the page's thread may stand still while a thread beside it goes on; an unprotected page stands still for 2 to 18 s. */
const longestFreeze = 1_500;

/** Milliseconds. Ends what hangs: on a busy machine an attempt takes many times as long as on an idle one. */
const longestAttempt = 300_000;
/** Milliseconds for one event of a mod that is honest, or that needs the time to use up its memory. */
const patience = 150_000;

export async function runHostile(attempts: readonly Hostile[], harness: Harness): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const hostile of attempts) {
    const before = { kills: harness.kills, strayMessages: harness.strayMessages };
    const heartbeat = await startHeartbeat();
    const done = await within(longestAttempt, runOne(hostile, harness), hostile.name);
    const gap = await heartbeat.stop();
    const leaks = [
      ...verdict(hostile, done),
      done.damage,
      harness.kills > before.kills ? null : "its frame was not removed",
      harness.strayMessages > before.strayMessages ? "a message reached the page" : null,
      gap > longestFreeze ? `the page stood still for ${Math.round(gap)} ms` : null,
      await stillWorks(harness),
    ].filter((leak) => leak !== null);
    const faults = done.replies.map(({ fault }) => fault?.kind ?? "answered").join(", ") || done.finishReason;
    const note = `${faults}; longest gap of the page ${Math.round(gap)} ms`;
    outcomes.push({ name: hostile.name, mode: "sandbox", leak: leaks.join("; ") || null, note });
  }
  return outcomes;
}

async function runOne({ program, source, event, faults }: Hostile, harness: Harness): Promise<Done> {
  const compiled = compile(source ?? benign);
  const events = faults.length === 0 ? ("decode" as const) : [event, event];
  if (program === undefined) return harness.run(compiled, { events });
  const pool = createSandboxPool({ document, program });
  try {
    return await harness.run(compiled, { events }, pool);
  } finally {
    pool.dispose();
  }
}

/** A mod that is let use up its memory until the browser ends the process of its frame, which is that of all spares too. */
export async function runCrash(harness: Harness): Promise<Outcome[]> {
  const bomb = compile(memoryHog);
  const { replies } = await harness.run(bomb, { events: ["added"], deadlines: { event: patience } });
  const said = replies[0]?.fault?.message ?? "it answered";
  const outcome = (name: string, leak: string | null): Outcome => ({
    name,
    mode: "sandbox",
    leak,
    note: said,
  });
  return [
    outcome("the process ends", said.includes("did not respond for") ? null : `it did not: ${said}`),
    outcome("the next mod runs", await stillWorks(harness)),
    outcome("and the one after it", await stillWorks(harness)),
  ];
}

/** A new mod in a new sandbox, after whatever came before. */
export async function stillWorks(harness: Harness): Promise<string | null> {
  const deadlines = { event: patience };
  const { replies } = await within(
    longestAttempt,
    harness.run(compile(benign), { events: ["added"], deadlines }),
    "the next mod",
  );
  return replies[0]?.action.type === "forceTokens"
    ? null
    : `the next mod failed: ${replies[0]?.fault?.message}`;
}

/** Beats, and remembers the longest time without a beat. Also runs in a worker, as text: needs nothing from outside. */
function startBeats(): () => number {
  let last = performance.now();
  let longest = 0;
  const beat = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    return longest;
  };
  const timer = setInterval(beat, 10);
  return () => {
    clearInterval(timer);
    return beat();
  };
}

/**
 * The longest time in which the page's thread did nothing else, without the time in which a thread beside it did nothing either:
 * then the machine had no time for the page's process.
 */
async function startHeartbeat(): Promise<{ stop(): Promise<number> }> {
  const program = `const stop = (${startBeats})();
postMessage("awake");
onmessage = () => postMessage(stop());`;
  const address = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const beside = new Worker(address);
  const answer = () =>
    new Promise<unknown>((resolve, reject) => {
      beside.onmessage = ({ data }: MessageEvent<unknown>) => resolve(data);
      beside.onerror = ({ message }) => reject(new Error(`The thread beside the page failed: ${message}`));
    });
  await answer();
  URL.revokeObjectURL(address);
  const stop = startBeats();
  return {
    async stop() {
      const page = stop();
      const asked = answer();
      beside.postMessage(null);
      const machine = Number(await asked);
      beside.terminate();
      return Math.max(0, page - machine);
    },
  };
}
