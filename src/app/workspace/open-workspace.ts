/**
 * Brings in what a workspace file holds. Nothing of it runs: mods come switched off, and runs as recorded elsewhere, whoever
 * recorded them.
 */

import { runInSlices } from "../../base/in-slices.ts";
import { messageOf } from "../../base/message-of.ts";
import { runOfFile } from "../../runs/run-to-keep.ts";
import { openingFile } from "../../trace/opening-model.ts";
import { layersReading } from "../../trace/reading-layers.ts";
import type { Stores } from "../store/stores.ts";
import type { Undo } from "../store/take-back.ts";
import { vectorsOf } from "../vectors/vector-library.ts";
import type { WorkspaceChoice } from "./save-workspace.ts";
import type { OpenedWorkspace, WorkspaceRun } from "./workspace-file.ts";

interface BringInOptions {
  readonly signal: AbortSignal;
  /** Runs that were read, and all of them. */
  onProgress(done: number, all: number): void;
}

export interface BroughtIn {
  readonly mods: number;
  readonly vectors: number;
  readonly runs: number;
  /** Mods, vectors and runs that were here already. */
  readonly known: number;
  /** Runs that were refused, and why the first one was. */
  readonly refused: number;
  readonly why: string | null;
  /** Takes back mods, vectors, prompt and settings; runs are deleted, and can be put back from the history. */
  readonly undo: () => void;
}

/**
 * Ends early when the signal is aborted: what was brought in until then stays.
 * @throws what the database throws; WorkspaceError for a file that is no workspace further on.
 */
export async function bringIn(
  stores: Stores,
  { contents, runs: runsOfFile }: OpenedWorkspace,
  chosen: WorkspaceChoice,
  { signal, onProgress }: BringInOptions,
): Promise<BroughtIn> {
  const undos: Undo[] = [];
  let known = 0;
  let mods = 0;
  for (const { name, source, needs, entry } of chosen.mods ? contents.mods : []) {
    const state = stores.mods.getState();
    if (state.mods.some((mod) => mod.name === name && mod.source === source && mod.entry === entry)) {
      known += 1;
      continue;
    }
    const { active } = state;
    const { id } = state.add(name, source, { needs, entry });
    state.setEnabled([id], false);
    if (active !== null) state.open(active);
    undos.push(() => void stores.mods.getState().remove(id));
    mods += 1;
  }
  const library = vectorsOf(stores).getState();
  const here = new Set(library.kept.map(({ vector }) => vector.text));
  // The oldest first, so that they stand in the order in which they stood.
  const newVectors = (chosen.vectors ? contents.vectors : [])
    .filter(({ text }) => !here.has(text))
    .toReversed();
  if (chosen.vectors) known += contents.vectors.length - newVectors.length;
  for (const vector of newVectors) {
    const { id } = library.add(vector);
    undos.push(() => void library.remove(id));
  }
  if (chosen.setup && contents.setup) {
    const { turns, settings } = contents.setup;
    const undoTurns = stores.conversation.getState().replace(turns);
    undos.push(() => void undoTurns(), stores.settings.getState().change(settings));
  }
  const kept: string[] = [];
  const refusals: string[] = [];
  let read = 0;
  for await (const found of chosen.runs ? runsOfFile() : []) {
    if (signal.aborted) break;
    onProgress(read, Math.max(contents.runCount, read + 1));
    read += 1;
    if (!found) {
      refusals.push("A line of the file is no run.");
      continue;
    }
    const [here] = await stores.runs.facts([found.run.id]);
    if (here) {
      known += 1;
      continue;
    }
    const refusal = await bringInRun(stores, found.run, found.trace, signal);
    if (refusal === null) kept.push(found.run.id);
    else if (!signal.aborted) refusals.push(refusal);
  }
  return {
    ...{
      mods,
      vectors: newVectors.length,
      known,
      runs: kept.length,
      refused: refusals.length,
      why: refusals[0] ?? null,
    },
    undo() {
      for (const undo of undos) undo();
      if (kept.length > 0) void stores.runs.remove(kept);
    },
  };
}

/** Why it was refused, in words; null where it is kept. @throws what the database throws. */
async function bringInRun(
  { runs }: Stores,
  { id, when, interrupted, star, tags, title }: WorkspaceRun,
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<string | null> {
  const opening = openingFile(bytes, layersReading);
  try {
    const model = await runInSlices(opening.steps, { signal });
    const origin = { id, when, interrupted, modIds: [], from: null, recorded: true };
    const { facts, ...rest } = runOfFile(model, origin, bytes);
    if (signal.aborted) return "It was stopped.";
    await runs.keep({ ...rest, facts: { ...facts, star, tags, title } });
    return null;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name !== "AbortError") throw cause;
    return messageOf(cause);
  } finally {
    opening.release();
  }
}
