/**
 * A workspace as one file of JSON lines. The first line has the version, mods, prompt and settings; each further line is a run
 * with its trace. The file is read line by line, so that its size does not matter, and every field is checked.
 */

import { type JsonBounds, JsonBoundsError, parseBoundedJson } from "../../../core/base/json-bounds.ts";
import { isRecord } from "../../../core/base/record.ts";
import { fromBase64Url, toBase64Url } from "../../../core/trace/codec/bytes.ts";
import { largestSource } from "../../../runtime/sandbox/compiled-mod.ts";
import { countWithNoun, formatCount } from "../../../view/ui/format.ts";
import type { RunMarks, RunMetadata } from "../../runs/run-metadata.ts";
import { editorLimits, settingsProblem, turnsProblem } from "../store/editor-limits.ts";
import type { LibraryMod } from "../store/mod-library.ts";
import { cleanModName } from "../store/mod-name.ts";
import { asChoice, asString } from "../store/persist.ts";
import { parseSettings, type Settings } from "../store/settings-store.ts";
import { parseTurns, type Turn } from "../store/turns.ts";
import { loadWorkspaceParts } from "./load-parts.ts";
import { unknownFieldSentences, unknownRunFieldSentence } from "./unknown-fields.ts";
import type { WorkspacePart } from "./workspace-part.ts";

/** The file is no workspace, or the page cannot take it. The message says why, and what to do. */
export class WorkspaceError extends Error {
  override name = "WorkspaceError";
}

export type WorkspaceMod = Omit<LibraryMod, "id">;

/** The saved metadata of a run beside its trace. */
export type WorkspaceRun = RunMarks & Pick<RunMetadata, "id" | "when" | "interrupted">;

export interface WorkspaceContents {
  readonly mods: readonly WorkspaceMod[];
  /** The entries of each part that a feature adds, by the field of the part. */
  readonly parts: Readonly<Record<string, readonly unknown[]>>;
  /** Null if the file has none. */
  readonly setup: { readonly turns: readonly Turn[]; readonly settings: Settings } | null;
  /** The number of following runs that the file states. */
  readonly runCount: number;
}

/** The content of a file from an unknown source, fully checked. */
export interface CheckedWorkspaceContents extends WorkspaceContents {
  /** Sentences about the parts that are left out because they are damaged, larger than the editor takes, or unknown. */
  readonly leftOut: readonly string[];
}

const version = 1;

/** Limits of reading a file, besides the editor's limits. */
export const workspaceLimits = {
  /** The first line: what local storage holds, five million characters, each escaped. */
  contents: { characters: 32_000_000, depth: 100, values: 500_000 },
  /** The line of a run: a trace of 64 MB has 90 million characters. */
  run: { characters: 100_000_000, depth: 4, values: 200 },
  runs: 100_000,
  entryLength: 200,
} as const;

export function encodeContentsLine({ mods, parts, setup, runCount }: WorkspaceContents): string {
  return `${JSON.stringify({ midtoken: "workspace", version, mods, ...parts, setup, runCount })}\n`;
}

/** `trace`: as a `.trace` file has it. */
export function encodeRunLine(run: WorkspaceRun, trace: Uint8Array): string {
  return `${JSON.stringify({ ...run, trace: toBase64Url(trace) })}\n`;
}

/** A run of the file with the unchecked bytes of its trace; null for a line that is no run. */
export type DecodedRunLine = {
  readonly run: WorkspaceRun;
  readonly trace: Uint8Array<ArrayBuffer>;
  /** A sentence about the first unknown field of the line, which is left out. */
  readonly leftOut: string | null;
} | null;

export interface OpenedWorkspace {
  readonly contents: CheckedWorkspaceContents;
  /** The parts that features add. */
  readonly parts: readonly WorkspacePart[];
  /** Bytes of the file. */
  readonly size: number;
  /**
   * Reads the runs one after another. Each call begins with the first run. Ends early if the signal is aborted. @throws
   * WorkspaceError
   */
  runs(signal?: AbortSignal): AsyncGenerator<DecodedRunLine, void>;
}

/** @throws WorkspaceError */
export async function openWorkspace(file: Blob): Promise<OpenedWorkspace> {
  const parts = await loadWorkspaceParts();
  const lines = linesOf(file, workspaceLimits.contents.characters);
  const first = await lines.next();
  await lines.return();
  const contents = parseContents(first.done ? "" : first.value, parts);
  return {
    contents,
    parts,
    size: file.size,
    async *runs(signal) {
      let count = -1;
      for await (const line of linesOf(file, workspaceLimits.run.characters, signal)) {
        count += 1;
        if (count > workspaceLimits.runs)
          throw new WorkspaceError(
            `The file has more than ${formatCount(workspaceLimits.runs)} runs, which is the limit.`,
          );
        if (count > 0 && line.trim() !== "") yield parseRun(line, count - 1);
      }
    },
  };
}

/** Reads a file line by line. A line longer than `longest` is an error, so a file without line breaks is not read to its end. */
async function* linesOf(file: Blob, longest: number, signal?: AbortSignal): AsyncGenerator<string, void> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  const add = (text: string) => {
    length += text.length;
    if (length > longest)
      throw new WorkspaceError(
        `A line in the file has more than ${formatCount(longest)} characters, so the file is damaged or is not a Midtoken workspace.`,
      );
    pieces.push(text);
  };
  try {
    while (!signal?.aborted) {
      const { done, value } = await reader.read();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      let start = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        add(text.slice(start, end));
        yield pieces.join("");
        start = end + 1;
        pieces = [];
        length = 0;
      }
      add(text.slice(start));
      if (done) break;
    }
    const last = pieces.join("");
    if (last !== "" && !signal?.aborted) yield last;
  } finally {
    await reader.cancel();
  }
}

function parseContents(line: string, parts: readonly WorkspacePart[]): CheckedWorkspaceContents {
  const list = parsed(line, workspaceLimits.contents);
  if (list?.midtoken !== "workspace" || typeof list.version !== "number")
    throw new WorkspaceError(
      "The file is not a Midtoken workspace: choose a file that you saved with “Save as a file” in this dialog.",
    );
  if (list.version > version)
    throw new WorkspaceError(
      "The file is from a newer version of Midtoken. Reload the page to get the newest version, then open the file again.",
    );
  const runCount = Number.isSafeInteger(list.runCount) ? Math.max(0, list.runCount as number) : 0;
  if (runCount > workspaceLimits.runs)
    throw new WorkspaceError(
      `The file has ${formatCount(runCount)} runs; the limit is ${formatCount(workspaceLimits.runs)}.`,
    );
  const mods = parseList(list.mods, "mod", editorLimits.mods, parseMod);
  const entries = parts.map(({ field, noun, most, parse }) => ({
    field,
    ...parseList(list[field], noun, most, parse),
  }));
  const setup = parseSetup(list.setup);
  return {
    mods: mods.read,
    parts: Object.fromEntries(entries.map(({ field, read }) => [field, read])),
    setup: setup.read,
    runCount,
    leftOut: [
      ...[mods, ...entries, setup].map(({ leftOut }) => leftOut).filter((sentence) => sentence !== null),
      ...unknownFieldSentences(list, parts),
    ],
  };
}

/** @throws WorkspaceError for a list that is longer than the editor takes. */
function parseList<Entry>(
  value: unknown,
  noun: string,
  most: number,
  parse: (entry: unknown) => Entry | null,
): { readonly read: readonly Entry[]; readonly leftOut: string | null } {
  if (value === undefined) return { read: [], leftOut: null };
  if (!Array.isArray(value))
    return { read: [], leftOut: `The list of ${noun}s cannot be read and was skipped.` };
  if (value.length > most)
    throw new WorkspaceError(
      `The file has ${formatCount(value.length)} ${noun}s; the limit is ${formatCount(most)}.`,
    );
  const read = value.map(parse).filter((entry) => entry !== null);
  const lost = value.length - read.length;
  const leftOut = `${countWithNoun(lost, noun)} in the file could not be read and ${lost === 1 ? "was" : "were"} skipped.`;
  return { read, leftOut: lost === 0 ? null : leftOut };
}

function parseSetup(value: unknown): {
  readonly read: WorkspaceContents["setup"];
  readonly leftOut: string | null;
} {
  if (value === null || value === undefined) return { read: null, leftOut: null };
  const fields = isRecord(value) ? value : {};
  const turns = parseTurns(fields.turns);
  const settings = parseSettings(fields.settings);
  if (!turns || !settings)
    return {
      read: null,
      leftOut: "The prompt and the settings of the file could not be read and were skipped.",
    };
  const problem =
    turnsProblem(turns, "The file’s prompt has") ?? settingsProblem(settings, "The file’s settings have");
  if (problem !== null)
    return { read: null, leftOut: `${problem} The file’s prompt and settings were skipped.` };
  const lost = (fields.turns as readonly unknown[]).length - turns.length;
  const leftOut = `${countWithNoun(lost, "turn")} of the file’s prompt could not be read and ${lost === 1 ? "was" : "were"} skipped.`;
  return { read: { turns, settings }, leftOut: lost === 0 ? null : leftOut };
}

function parseMod(value: unknown): WorkspaceMod | null {
  if (!isRecord(value)) return null;
  const name = cleanModName(asString(value.name) ?? "");
  const source = asString(value.source);
  const entry = asString(value.entry);
  if (name === "" || source === null || source.length > largestSource) return null;
  if (entry !== null && entry.length > workspaceLimits.entryLength) return null;
  return { name, source, needs: asChoice(value.needs, ["instruct"]), entry };
}

const longestTag = 40;
const mostTags = 20;
const longestTitle = 200;

function parseRun(line: string, index: number): DecodedRunLine {
  const value = parsedRun(line);
  if (!value) return null;
  const { id, when, tags, title } = value;
  if (typeof id !== "string" || !/^[\w-]{1,64}$/.test(id) || typeof value.trace !== "string") return null;
  if (typeof when !== "number" || !Number.isSafeInteger(when) || when < 0 || when > 8.64e15) return null;
  const isTag = (tag: unknown): tag is string =>
    typeof tag === "string" && tag.trim() !== "" && tag.length <= longestTag;
  const run: WorkspaceRun = {
    id,
    when,
    interrupted: value.interrupted === true,
    star: value.star === true,
    tags: Array.isArray(tags) ? [...new Set(tags.filter(isTag))].slice(0, mostTags) : [],
    title: typeof title === "string" && title.trim() !== "" ? title.slice(0, longestTitle) : null,
  };
  try {
    return { run, trace: fromBase64Url(value.trace), leftOut: unknownRunFieldSentence(value, index) };
  } catch {
    return null;
  }
}

/** Null for a line that is no JSON object. @throws WorkspaceError for a line above the limit. */
function parsed(line: string, bounds: JsonBounds): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseBoundedJson(line, bounds, "A line in the file");
    return isRecord(value) ? value : null;
  } catch (cause) {
    if (cause instanceof JsonBoundsError) throw new WorkspaceError(cause.message);
    return null;
  }
}

/** Null for a line that is no run or is above the limit: the other runs are still read. */
function parsedRun(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return parsed(line, workspaceLimits.run);
  } catch {
    return null;
  }
}
