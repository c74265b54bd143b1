/**
 * Fields of a workspace file that nothing here reads, for example a misspelled setting. Each is reported and left out. The rest
 * comes in: a file may be the user's only backup, so one field does not refuse the file.
 */
import { describeUnknownKey } from "../../../core/base/known-keys.ts";
import { isRecord } from "../../../core/base/record.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { countWithNoun } from "../../../view/ui/format.ts";
import { defaultAnswerFormatSettings } from "../store/answer-settings.ts";
import { deadlineNames, defaultLimits } from "../store/limit-settings.ts";
import { defaultSettings } from "../store/settings-store.ts";
import type { FileShape, WorkspacePart } from "./workspace-part.ts";

const shapeOfWorkspace = (parts: readonly WorkspacePart[]): FileShape => ({
  fields: ["midtoken", "version", "mods", ...parts.map(({ field }) => field), "setup", "runCount"],
  within: {
    mods: { fields: ["name", "source", "needs", "entry"] },
    ...Object.fromEntries(parts.map(({ field, shape }) => [field, shape])),
    setup: {
      fields: ["turns", "settings"],
      within: {
        turns: {
          fields: ["id", "role", "text", "calls", "callId"],
          within: { calls: { fields: ["id", "name", "arguments"] } },
        },
        settings: {
          fields: Object.keys(defaultSettings),
          within: {
            sampling: { fields: Object.keys(defaultSettings.sampling) },
            answer: { fields: Object.keys(defaultAnswerFormatSettings) },
            limits: {
              fields: Object.keys(defaultLimits),
              within: { deadlines: { fields: deadlineNames } },
            },
          },
        },
      },
    },
  },
});

/** The line of a run. */
const run: FileShape = { fields: ["id", "when", "interrupted", "star", "tags", "title", "trace"] };

/** Sentences that are shown; further fields are counted. */
const mostSentences = 5;

/** A field of a file may have a name of any length. */
const longestKey = 60;

/**
 * Sentences about the unknown fields of a workspace's first line, each with the field's path and the field that was probably
 * meant: at most five, and a last one that counts the others.
 */
export function unknownFieldSentences(contents: object, parts: readonly WorkspacePart[]): readonly string[] {
  const found: string[] = [];
  const count = findUnknown(contents, shapeOfWorkspace(parts), "", found);
  const more = count - found.length;
  return more === 0 ? found : [...found, `The file has ${countWithNoun(more, "more unknown field")}.`];
}

/** A sentence for the first unknown field in the line of a run; null if all are known. `index`: the run's place in the file. */
export function unknownRunFieldSentence(line: object, index: number): string | null {
  const found: string[] = [];
  findUnknown(line, run, `runs[${index}]`, found);
  return found[0] ?? null;
}

/** Adds the first sentences to `found`. Returns the number of unknown fields. */
function findUnknown(
  value: object,
  { fields, within = {} }: FileShape,
  path: string,
  found: string[],
): number {
  let count = 0;
  for (const [key, each] of Object.entries(value)) {
    const place = path === "" ? key : `${path}.${key}`;
    if (!fields.includes(key)) {
      count += 1;
      if (found.length < mostSentences) {
        const name = showInvisibleCharacters(key, longestKey);
        found.push(
          `In the file, ${describeUnknownKey(path, name, fields)} The field is skipped, but the rest of the file can be imported.`,
        );
      }
      continue;
    }
    const shape = Object.hasOwn(within, key) ? within[key] : undefined;
    if (shape === undefined) continue;
    if (isRecord(each)) count += findUnknown(each, shape, place, found);
    if (!Array.isArray(each)) continue;
    for (const [index, entry] of each.entries())
      if (isRecord(entry)) count += findUnknown(entry, shape, `${place}[${index}]`, found);
  }
  return count;
}
