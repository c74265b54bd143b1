/** The outputs of the last stored test run, in a file beside the tests. */
import { readFile, writeFile } from "node:fs/promises";
import { countWithNoun } from "../../../core/base/number-text.ts";
import { isRecord } from "../../../core/base/record.ts";
import type { ModTestAnswer } from "./mod-tests.ts";
import { UsageError } from "./terminal.ts";

export interface StoredAnswer {
  readonly text: string;
  readonly finishReason: string;
  readonly interventions: Readonly<Record<string, number>>;
}

/** Outputs by the names of their cases. */
export type Snapshot = Readonly<Record<string, StoredAnswer>>;

const version = 1;

export const snapshotPath = (file: string): string => `${file}.snapshot.json`;

/** Null if nothing is stored. @throws UsageError if the file is not a snapshot */
export async function readSnapshot(file: string): Promise<Snapshot | null> {
  const path = snapshotPath(file);
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return null;
    throw cause;
  });
  if (text === null) return null;
  const value = parsed(text);
  if (isRecord(value) && value.version === version && isRecord(value.cases))
    return value.cases as unknown as Snapshot;
  throw new UsageError(
    `${path} is not a snapshot that this version of Midtoken can read: delete it, or replace it with --update.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export async function writeSnapshot(file: string, cases: Snapshot): Promise<void> {
  await writeFile(snapshotPath(file), `${JSON.stringify({ version, cases }, null, 2)}\n`);
}

export function toStoredAnswer({ text, finishReason, interventions }: ModTestAnswer): StoredAnswer {
  const sorted = Object.entries(interventions).sort(([a], [b]) => (a < b ? -1 : 1));
  return { text, finishReason, interventions: Object.fromEntries(sorted) };
}

/** The differences, as lines for the user; empty if there are none. */
export function describeAnswerChanges(before: StoredAnswer, now: StoredAnswer): readonly string[] {
  const lines: string[] = [];
  if (before.text !== now.text) lines.push(...textChange(before.text, now.text));
  if (before.finishReason !== now.finishReason) {
    lines.push(`- ended with ${before.finishReason}`, `+ ended with ${now.finishReason}`);
  }
  const names = new Set([...Object.keys(before.interventions), ...Object.keys(now.interventions)]);
  for (const name of [...names].sort()) {
    const countBefore = before.interventions[name] ?? 0;
    const countNow = now.interventions[name] ?? 0;
    if (countBefore !== countNow)
      lines.push(
        `- mods used ${name} ${countWithNoun(countBefore, "time")}`,
        `+ mods used ${name} ${countWithNoun(countNow, "time")}`,
      );
  }
  return lines;
}

/** Characters of context around a difference. */
const around = 30;

/** The words that differ, with some equal words before and after. */
function textChange(before: string, now: string): string[] {
  const words = (text: string) => text.match(/\s*\S+|\s+$/g) ?? [];
  const old = words(before);
  const fresh = words(now);
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  const longestEnd = Math.min(old.length, fresh.length) - start;
  while (end < longestEnd && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const lead = old.slice(0, start).join("");
  const tail = end === 0 ? "" : old.slice(-end).join("");
  const shown = (middle: readonly string[]) => {
    const first = lead.slice(-around);
    const last = tail.slice(0, around);
    const text = `${first === lead ? "" : "…"}${first}[${middle.join("")}]${last}${last === tail ? "" : "…"}`;
    return JSON.stringify(text).slice(1, -1);
  };
  return [
    `- ${shown(old.slice(start, old.length - end))}`,
    `+ ${shown(fresh.slice(start, fresh.length - end))}`,
  ];
}
