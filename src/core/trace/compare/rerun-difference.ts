/** Compares a request that was run again with its record, token for token, and finds the first difference. */
import { countWithNoun } from "../../base/number-text.ts";
import type { TraceRecord } from "../format/format.ts";
import { kindLabels } from "../model/kind-labels.ts";

/** The first place at which two runs of a request differ. */
export interface RerunDifference {
  /** Index of the recorded run's token at this place, or of the last token before it. Null if there is no such token. */
  readonly index: number | null;
  /** Number of tokens that both runs have in common before the difference, removed tokens included. */
  readonly tokens: number;
  /** The recorded value, in words. */
  readonly recorded: string;
  /** The value of this run, in words. */
  readonly now: string;
}

/** One thing that happened to the output: a token added or removed, or the end. */
interface Happening {
  /** Two happenings are equal if their keys are equal. */
  readonly key: string;
  readonly words: string;
  readonly isToken: boolean;
}

/**
 * The first difference; null if tokens, their sources, removals and endings are equal. A record that was cut off (by a stop or a
 * closed page) is compared up to its end. Tokens whose ids a link left out are compared by their texts.
 */
export function rerunDifference(
  recorded: readonly TraceRecord[],
  again: readonly TraceRecord[],
): RerunDifference | null {
  const before = happenings(recorded);
  const now = happenings(
    again,
    before.some(({ key }) => key.includes(" -1 ")),
  );
  const isCutOff = before.at(-1)?.words === cutOff;
  const count = isCutOff ? before.length - 1 : before.length;
  let tokens = 0;
  for (let place = 0; place < count; place += 1) {
    const one = before[place] as Happening;
    const other = now[place];
    if (one.key === other?.key) {
      if (one.isToken) tokens += 1;
      continue;
    }
    const all = before.reduce((sum, { isToken }) => sum + (isToken ? 1 : 0), 0);
    return {
      index: all === 0 ? null : Math.min(tokens, all - 1),
      tokens,
      recorded: one.words,
      now: other?.words ?? "no further token",
    };
  }
  return null;
}

const cutOff = "the run was cut off";

function happenings(records: readonly TraceRecord[], withoutIds = false): Happening[] {
  const found: Happening[] = [];
  for (const record of records) {
    if (record.type === "added") {
      for (const { token, text } of record.tokens) {
        const { source, hidden } = record;
        const key = `token ${withoutIds ? -1 : token} ${source} ${hidden} ${text}`;
        found.push({ key, words: `${JSON.stringify(text)} (${kindLabels[source]})`, isToken: true });
      }
    }
    if (record.type === "backtracked") {
      const { length } = record.removed;
      found.push({
        key: `back ${length}`,
        words: `${countWithNoun(length, "token")} removed`,
        isToken: false,
      });
    }
    if (record.type === "finished" && record.reason !== "cancelled") {
      const { reason, text } = record;
      found.push({ key: `end ${reason} ${text}`, words: `the end (${reason})`, isToken: false });
    }
  }
  const last = records.at(-1);
  if (last?.type !== "finished" || last.reason === "cancelled") {
    found.push({ key: "cut off", words: cutOff, isToken: false });
  }
  return found;
}
