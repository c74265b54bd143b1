/** Runs the protocol and denial-of-service attempts, and judges what the engine's side and the page made of them. */
import { createSandboxPool } from "../../src/runtime/sandbox/frame.ts";
import { compile, type Done, type Harness, within } from "./harness.ts";
import { benign, type Hostile, memoryHog } from "./hostile.ts";
import type { Outcome } from "./targets.ts";
import { verdict } from "./verdict.ts";

/** Far above what a busy machine takes, far below what the same attempts do to an unprotected page (2 to 18 s). */
const longestFreeze = 1_500;

export async function runHostile(attempts: readonly Hostile[], harness: Harness): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const hostile of attempts) {
    const before = { kills: harness.kills, strayMessages: harness.strayMessages };
    const heartbeat = startHeartbeat();
    const done = await within(60_000, runOne(hostile, harness), hostile.name);
    const gap = heartbeat.stop();
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
  const { replies } = await harness.run(bomb, { events: ["added"], deadlines: { event: 20_000 } });
  const said = replies[0]?.fault?.message ?? "it answered";
  const outcome = (name: string, leak: string | null): Outcome => ({
    name,
    mode: "sandbox",
    leak,
    note: said,
  });
  return [
    outcome("the process ends", said.includes("no sign of life") ? null : `it did not: ${said}`),
    outcome("the next mod runs", await stillWorks(harness)),
    outcome("and the one after it", await stillWorks(harness)),
  ];
}

/** A new mod in a new sandbox, after whatever came before. */
export async function stillWorks(harness: Harness): Promise<string | null> {
  const deadlines = { event: 10_000 };
  const { replies } = await within(
    30_000,
    harness.run(compile(benign), { events: ["added"], deadlines }),
    "the next mod",
  );
  return replies[0]?.action.type === "forceTokens"
    ? null
    : `the next mod failed: ${replies[0]?.fault?.message}`;
}

/** The longest time in which the page's thread did nothing else. */
function startHeartbeat(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  const beat = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(beat, 10);
  return {
    stop() {
      beat();
      clearInterval(timer);
      return longest;
    },
  };
}
