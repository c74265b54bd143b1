/** An attempt on a sandbox: the code that is run in it, and what is made of what that brought back. Knows of no browser. */
import type { ModReply } from "../../src/core/decoder/ports/mod-host.ts";
import { compileMod } from "../../src/runtime/sandbox/compile.ts";
import type { CompiledMod } from "../../src/runtime/sandbox/compiled-mod.ts";
import type { Attack } from "./attack.ts";
import type { Targets } from "./targets.ts";
import { uncompiled } from "./uncompiled.ts";

export interface Attempt {
  /** The result of the body; undefined if it threw. */
  readonly report: unknown;
  readonly note: string;
}

/** The attack as a function; `T` is in scope. */
export const attackText = ({ body }: Attack, targets: Targets) =>
  `const T = ${JSON.stringify(targets)};\nasync function attack() {\n${body}\n}\n`;

export const attemptText = `let report; let note = "returned";
  try { report = await attack(); } catch (error) { note = "threw " + error; }`;

/** The attack in a mod's first handler; `note`: whether the compiler refused it. */
export function attackMod(
  attack: Attack,
  targets: Targets,
): { readonly mod: CompiledMod; readonly note: string } {
  const handlers = `export default mod({ async prefilled() {
  ${attemptText}
  console.log(JSON.stringify({ report, note }));
} });`;
  const text = attackText(attack, targets);
  const source = `// @ts-nocheck\nimport { mod } from "midtoken/mod";\n${text}${handlers}`;
  const compiled = compileMod(source, "attack");
  if (compiled.ok) return { mod: compiled, note: "" };
  // An attack that the compiler refuses is tried without the compiler: the wall behind it has to hold as well.
  const script = `${text}${handlers.replace("export default", "exports.default =")}`;
  const note = `refused: ${compiled.problems[0]?.message} Without the compiler: `;
  return { mod: uncompiled(script), note };
}

export function readAttempt(reply: ModReply | undefined, note: string): Attempt {
  if (reply?.fault) return { report: undefined, note: `${note}${reply.fault.kind}: ${reply.fault.message}` };
  const line = JSON.parse(reply?.console.at(-1)?.text ?? "{}") as Attempt;
  return { report: line.report, note: `${note}${line.note}` };
}

/** A value in the report that only the machine could have given; null leaves the verdict to the servers. */
export function reportLeak(attack: Attack, attempts: readonly Attempt[]): string | null {
  const [first, second] = attempts.map(({ report }) => report);
  if (attack.name === "left-by-the-one-before") return second ? JSON.stringify(second) : null;
  if (attack.judge === "servers" || first === undefined || first === null) return null;
  if (attack.name === "wall-clock") return clockLeak(first as ClockReport);
  if (attack.name === "entropy") {
    const [a, b] = [first, second] as Record<string, string>[];
    const differing = Object.keys(a ?? {}).filter((way) => a?.[way] !== b?.[way]);
    return differing.length > 0 ? `two runs differ in ${differing.join(", ")}` : null;
  }
  return JSON.stringify(first);
}

interface ClockReport {
  readonly times: Record<string, number | null>;
  readonly zones: Record<string, unknown>;
}

/** The zone and language that every machine must report. A missing name means that the way does not exist. */
const pinned: Record<string, unknown> = {
  intl: "UTC",
  offset: 0,
  july: 0,
  hours: 0,
  text: "00:00:00 GMT+0000",
  local: "00:00:00",
  parsed: 0,
  legacy: 0,
  parts: 0,
  set: 0,
  named: "1/1/1970, Coordinated Universal Time",
  locale: "en-US",
  unknown: "en-US",
  number: "1,234.5",
  date: "1/1/1970",
  big: "1,234",
  list: "1,234.5",
};

function clockLeak({ times, zones }: ClockReport): string | null {
  const year = 366 * 86_400_000;
  const now = Object.entries(times).filter(
    ([, time]) => typeof time === "number" && Math.abs(time - Date.now()) < year,
  );
  const own = Object.entries(zones).filter(([name, value]) => value !== pinned[name]);
  const found = [...now, ...own].map(([name, value]) => `${name} ${value}`);
  return found.length > 0 ? found.join(", ") : null;
}
