/** Saves mods, vectors, prompt, settings and saved runs as one file. */
import type { RunMetadata } from "../../runs/run-metadata.ts";
import type { Stores } from "../store/stores.ts";
import { loadWorkspaceParts } from "./load-parts.ts";
import { encodeContentsLine, encodeRunLine, type WorkspaceRun } from "./workspace-file.ts";

export interface WorkspacePartsChoice {
  readonly mods: boolean;
  readonly setup: boolean;
  readonly runs: boolean;
  /** The same for the parts that features add, by the field of the part. */
  readonly [part: string]: boolean;
}

interface SaveOptions {
  readonly signal: AbortSignal;
  /** Number of runs that are in the file, and of all runs. */
  onProgress(done: number, all: number): void;
}

/** @throws the signal's reason when it is aborted; Error when a run cannot be read. */
export async function createWorkspaceFile(
  stores: Stores,
  chosen: WorkspacePartsChoice,
  { signal, onProgress }: SaveOptions,
): Promise<Blob> {
  const { conversation, runs } = stores;
  const {
    change: _change,
    changeSampling: _changeSampling,
    changeAnswer: _changeAnswer,
    ...settings
  } = stores.settings.getState();
  const mods = chosen.mods ? stores.mods.getState().mods : [];
  const featureParts = await loadWorkspaceParts();
  const listed = chosen.runs ? await runs.list() : [];
  const parts: Blob[] = [];
  // The run is a Blob, which the browser may hold on disk.
  const add = (line: string) => void parts.push(new Blob([line]));
  add(
    encodeContentsLine({
      mods: mods.map(({ name, source, needs, entry }) => ({ name, source, needs, entry })),
      parts: Object.fromEntries(
        featureParts.map((part) => [part.field, chosen[part.field] ? part.entries(stores) : []]),
      ),
      setup: chosen.setup ? { turns: conversation.getState().turns, settings } : null,
      runCount: listed.length,
    }),
  );
  for (const [done, metadata] of listed.entries()) {
    signal.throwIfAborted();
    onProgress(done, listed.length);
    // Null if another tab has deleted it meanwhile.
    const opened = await runs.open(metadata.id);
    if (opened) add(encodeRunLine(runOf(metadata), opened.bytes));
  }
  signal.throwIfAborted();
  return new Blob(parts, { type: "application/jsonl" });
}

function runOf({ id, when, interrupted, star, tags, title }: RunMetadata): WorkspaceRun {
  return { id, when, interrupted, star, tags, title };
}
