/**
 * A workspace as one file of JSON lines: the first says what it is, with mods, prompt and settings; each further one is a run with
 * its trace. It is read line by line, so that its size does not matter, and what comes from it is checked field by field.
 */
import { isRecord } from "../../base/record.ts";
import type { RunFacts, RunMarks } from "../../runs/run-facts.ts";
import { fromBase64Url, toBase64Url } from "../../trace/codec/bytes.ts";
import { formatCount } from "../../ui/format.ts";
import { type KnownVector, parseKnownVector } from "../../vectors/known-vector.ts";
import type { LibraryMod } from "../store/mod-library.ts";
import { cleanName } from "../store/mod-name.ts";
import { asChoice, asString } from "../store/persist.ts";
import { parseSettings, type Settings } from "../store/settings-store.ts";
import { parseTurns, type Turn } from "../store/turns.ts";

/** The file is no workspace, or one that cannot be taken. Says why, and what to do. */
export class WorkspaceError extends Error {
  override name = "WorkspaceError";
}

export type WorkspaceMod = Omit<LibraryMod, "id">;

/** What is kept of a run beside its trace. */
export type WorkspaceRun = RunMarks & Pick<RunFacts, "id" | "when" | "interrupted">;

export interface WorkspaceContents {
  readonly mods: readonly WorkspaceMod[];
  readonly vectors: readonly KnownVector[];
  /** Null where the file has none. */
  readonly setup: { readonly turns: readonly Turn[]; readonly settings: Settings } | null;
  /** How many runs follow, as the file says. */
  readonly runCount: number;
}

const version = 1;

/** The most that is taken from a file. */
export const workspaceLimits = {
  /** Characters of a line: a trace of 64 MB has 90 million. */
  line: 100_000_000,
  mods: 1_000,
  vectors: 1_000,
  sourceLength: 1_000_000,
} as const;

export function contentsLine(contents: WorkspaceContents): string {
  return `${JSON.stringify({ midtoken: "workspace", version, ...contents })}\n`;
}

/** `trace`: as a `.trace` file has it. */
export function runLine(run: WorkspaceRun, trace: Uint8Array): string {
  return `${JSON.stringify({ ...run, trace: toBase64Url(trace) })}\n`;
}

/** A run of the file with the bytes of its trace, which nobody vouches for; null for a line that is no run. */
export type ReadRun = { readonly run: WorkspaceRun; readonly trace: Uint8Array<ArrayBuffer> } | null;

export interface OpenedWorkspace {
  readonly contents: WorkspaceContents;
  /** Reads the runs, one after another, anew at every call. @throws WorkspaceError */
  runs(): AsyncGenerator<ReadRun, void>;
}

/** @throws WorkspaceError */
export async function openWorkspace(file: Blob): Promise<OpenedWorkspace> {
  const lines = linesOf(file);
  const first = await lines.next();
  await lines.return();
  const contents = parseContents(first.done ? "" : first.value);
  return {
    contents,
    async *runs() {
      let isFirst = true;
      for await (const line of linesOf(file)) {
        if (!isFirst && line.trim() !== "") yield parseRun(line);
        isFirst = false;
      }
    },
  };
}

async function* linesOf(file: Blob): AsyncGenerator<string, void> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      let text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        yield pieces.join("") + text.slice(0, end);
        text = text.slice(end + 1);
        pieces = [];
        length = 0;
      }
      pieces.push(text);
      length += text.length;
      if (length > workspaceLimits.line)
        throw new WorkspaceError(
          `A line of the file has more than ${formatCount(workspaceLimits.line)} characters: it is no workspace of Midtoken, or it was damaged.`,
        );
      if (done) break;
    }
    const last = pieces.join("");
    if (last !== "") yield last;
  } finally {
    await reader.cancel();
  }
}

function parseContents(line: string): WorkspaceContents {
  const list = parsed(line);
  if (list?.midtoken !== "workspace" || typeof list.version !== "number")
    throw new WorkspaceError("The file is no workspace of Midtoken: choose one that was saved here as such.");
  if (list.version > version)
    throw new WorkspaceError(
      "The file is of a newer Midtoken. Reload the page to get the newest, and open it again.",
    );
  const { setup, mods, vectors, runCount } = list;
  const turns = isRecord(setup) ? parseTurns(setup.turns) : null;
  const settings = isRecord(setup) ? parseSettings(setup.settings) : null;
  if (Array.isArray(mods) && mods.length > workspaceLimits.mods)
    throw new WorkspaceError(
      `The file has ${formatCount(mods.length)} mods, and at most ${formatCount(workspaceLimits.mods)} are taken.`,
    );
  if (Array.isArray(vectors) && vectors.length > workspaceLimits.vectors)
    throw new WorkspaceError(
      `The file has ${formatCount(vectors.length)} vectors, and at most ${formatCount(workspaceLimits.vectors)} are taken.`,
    );
  return {
    mods: Array.isArray(mods) ? mods.flatMap(parseMod) : [],
    vectors: Array.isArray(vectors) ? vectors.flatMap(parseVector) : [],
    setup: turns && settings && { turns, settings },
    runCount: Number.isSafeInteger(runCount) ? Math.max(0, runCount as number) : 0,
  };
}

function parseMod(value: unknown): WorkspaceMod[] {
  if (!isRecord(value)) return [];
  const name = cleanName(asString(value.name) ?? "");
  const source = asString(value.source);
  if (name === "" || source === null || source.length > workspaceLimits.sourceLength) return [];
  return [{ name, source, needs: asChoice(value.needs, ["instruct"]), entry: asString(value.entry) }];
}

function parseVector(value: unknown): KnownVector[] {
  try {
    return [parseKnownVector(value)];
  } catch {
    return [];
  }
}

const longestTag = 40;
const mostTags = 20;
const longestTitle = 200;

function parseRun(line: string): ReadRun {
  const value = parsed(line);
  if (!value) return null;
  const { id, when, tags, title } = value;
  if (typeof id !== "string" || !/^[\w-]{1,64}$/.test(id) || typeof value.trace !== "string") return null;
  if (typeof when !== "number" || !Number.isSafeInteger(when) || when < 0 || when > 8.64e15) return null;
  const isTag = (tag: unknown): tag is string =>
    typeof tag === "string" && tag.trim() !== "" && tag.length <= longestTag;
  const run: WorkspaceRun = {
    ...{ id, when },
    interrupted: value.interrupted === true,
    star: value.star === true,
    tags: Array.isArray(tags) ? [...new Set(tags.filter(isTag))].slice(0, mostTags) : [],
    title: typeof title === "string" && title.trim() !== "" ? title.slice(0, longestTitle) : null,
  };
  try {
    return { run, trace: fromBase64Url(value.trace) };
  } catch {
    return null;
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
