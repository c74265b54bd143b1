/** Describes a run for the list of runs. Pure. */

import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { countWithNoun } from "../../../view/ui/format.ts";
import type { RunMetadata } from "../../runs/run-metadata.ts";

/** UTF-16 units of a line of a row. */
const longestLine = 240;

/** How a run ended, in a word or two, by its finish reason. */
export const finishReasonLabels: Readonly<Record<NonNullable<RunMetadata["finishReason"]>, string>> = {
  stop: "finished",
  length: "token limit",
  forced: "output set by a mod",
  tool_calls: "called tools",
  error: "error",
  budget: "forward-pass limit",
  cancelled: "stopped",
};

/** How a run of the list ended. */
export function runEndLabel({
  finishReason,
  interrupted,
}: Pick<RunMetadata, "finishReason" | "interrupted">): string {
  if (interrupted) return "interrupted";
  return finishReason === null ? "end not recorded" : finishReasonLabels[finishReason];
}

/** The run's title, or how its prompt begins. */
export function runName({ title, prompt }: Pick<RunMetadata, "title" | "prompt">): string {
  return oneLine(title ?? prompt) || "No prompt recorded";
}

/** A text on one line. The text may come from a stranger, so invisible characters are shown. */
export function oneLine(text: string): string {
  return showInvisibleCharacters(text.replace(/\s+/g, " ").trim(), longestLine);
}

/** The metadata of a run, for the last line of its row. */
export function runMetadataLabels(run: RunMetadata): readonly string[] {
  const { model, mods, tokens } = run;
  const shortModel = oneLine(model.replace(/\/+$/, "").split("/").at(-1) ?? "");
  return [
    mods.length > 0 ? oneLine(mods.join(", ")) : "no mods",
    shortModel,
    countWithNoun(tokens, "token"),
    runEndLabel(run),
  ].filter((word) => word !== "");
}

const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** When a run was made: 14:05 today, 3 Nov 14:05 this year, 3 Nov 2025 before. */
export function formatWhen(when: number, now: number): string {
  const then = new Date(when);
  const today = new Date(now);
  if (then.toDateString() === today.toDateString()) return time.format(then);
  if (then.getFullYear() === today.getFullYear()) return `${day.format(then)} ${time.format(then)}`;
  return dayOfYear.format(then);
}
