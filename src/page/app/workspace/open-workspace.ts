/**
 * Imports the content of a workspace file. Nothing runs: mods are switched off, and runs count as recorded elsewhere,
 * whoever recorded them. If something does not fit, the file is refused before anything changes.
 */

import { runInSlices } from "../../../core/base/in-slices.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import { layersCodec } from "../../../core/trace/codec/reading-layers.ts";
import { startOpeningFile } from "../../../core/trace/file/opening-model.ts";
import { countWithNoun, formatCount } from "../../../view/ui/format.ts";
import { runToSaveFromFile } from "../../runs/run-to-save.ts";
import { storageSpaceProblem } from "../../runs/storage-room.ts";
import { removeRuns } from "../history/run-actions.ts";
import { editorLimits, modsProblem } from "../store/editor-limits.ts";
import { storageHasRoom } from "../store/persist.ts";
import type { Stores } from "../store/stores.ts";
import type { Undo } from "../store/take-back.ts";
import { vectorLibraryOf } from "../vectors/vector-library.ts";
import type { WorkspacePartsChoice } from "./save-workspace.ts";
import {
  type OpenedWorkspace,
  type WorkspaceContents,
  WorkspaceError,
  type WorkspaceMod,
  type WorkspaceRun,
} from "./workspace-file.ts";

interface BringInOptions {
  readonly signal: AbortSignal;
  /** Number of runs that were read, and of all runs. */
  onProgress(done: number, all: number): void;
}

export interface WorkspaceImportResult {
  readonly mods: number;
  readonly vectors: number;
  readonly runs: number;
  /** Mods, vectors and runs that this browser already had. */
  readonly known: number;
  /** Runs that were refused, and why the first one was. */
  readonly refused: number;
  readonly why: string | null;
  /**
   * The first unknown field of a run, which is left out, and the number of further runs with unknown fields; null if there is
   * none.
   */
  readonly leftOut: string | null;
  /** Why the file was not read to its end; null if it was, or if the user stopped it. */
  readonly ended: string | null;
  /** Restores mods, vectors, prompt and settings, and deletes the imported runs; another notice can restore the runs. */
  readonly undo: () => void;
}

/**
 * Ends early if the signal is aborted: the part that was imported until then stays. @throws WorkspaceError if something does
 * not fit, before anything changes.
 */
export async function importWorkspace(
  stores: Stores,
  workspace: OpenedWorkspace,
  chosen: WorkspacePartsChoice,
  options: BringInOptions,
): Promise<WorkspaceImportResult> {
  const { contents } = workspace;
  const fresh = freshOf(stores, contents, chosen);
  const problem =
    editorProblem(stores, fresh) ?? (chosen.runs ? await storageSpaceProblem(workspace.size) : null);
  if (problem !== null) throw new WorkspaceError(`${problem} Nothing was changed.`);
  const undos = putIntoEditor(stores, fresh);
  const importedIds: string[] = [];
  const runs = await bringInRuns(stores, workspace, chosen.runs, options, importedIds);
  const offered = (chosen.mods ? contents.mods.length : 0) + (chosen.vectors ? contents.vectors.length : 0);
  return {
    mods: fresh.mods.length,
    vectors: fresh.vectors.length,
    runs: importedIds.length,
    known: offered - fresh.mods.length - fresh.vectors.length + runs.known,
    refused: runs.refused,
    why: runs.why,
    leftOut: runs.leftOut,
    ended: runs.ended,
    undo() {
      for (const undo of undos) undo();
      void removeRuns(stores, importedIds);
    },
  };
}

type Fresh = Omit<WorkspaceContents, "runCount">;

/** The chosen entries of the file that this browser does not have yet. */
function freshOf(stores: Stores, contents: WorkspaceContents, chosen: WorkspacePartsChoice): Fresh {
  const nameOf = ({ name, source, entry }: WorkspaceMod) => JSON.stringify([name, source, entry]);
  const mods = new Set(stores.mods.getState().mods.map(nameOf));
  const vectors = new Set(
    vectorLibraryOf(stores)
      .getState()
      .vectors.map(({ vector }) => vector.text),
  );
  /** A mod or a vector that the file has twice is imported once. */
  const isFresh = (here: Set<string>, name: string) => !here.has(name) && here.add(name).has(name);
  return {
    mods: chosen.mods ? contents.mods.filter((mod) => isFresh(mods, nameOf(mod))) : [],
    vectors: chosen.vectors ? contents.vectors.filter(({ text }) => isFresh(vectors, text)) : [],
    setup: chosen.setup ? contents.setup : null,
  };
}

/** Characters that must stay free, so that the next text of the user can be saved. */
const reserve = 131_072;

function editorProblem(stores: Stores, { mods, vectors, setup }: Fresh): string | null {
  const tooMany = mods.length > 0 ? modsProblem(stores.mods.getState().mods.length + mods.length) : null;
  if (tooMany !== null) return tooMany;
  const vectorCount = vectorLibraryOf(stores).getState().vectors.length + vectors.length;
  if (vectors.length > 0 && vectorCount > editorLimits.vectors)
    return `This would make ${formatCount(vectorCount)} vectors, but the limit is ${formatCount(editorLimits.vectors)}: delete vectors that you do not need.`;
  const { browser, tab } = stores.storages;
  const setupLength = setup ? JSON.stringify(setup).length : 0;
  // Each mod and each vector is stored with a key of its own.
  const length = JSON.stringify([mods, vectors]).length + 200 * (mods.length + vectors.length) + setupLength;
  if (storageHasRoom(browser, length + reserve) && storageHasRoom(tab, setupLength + reserve)) return null;
  return `This browser’s storage has no room for another ${formatCount(length)} characters of mods, vectors, prompt and settings: delete mods or vectors that you do not need.`;
}

function putIntoEditor(stores: Stores, { mods, vectors, setup }: Fresh): readonly Undo[] {
  const undos: Undo[] = [];
  for (const { name, source, needs, entry } of mods) {
    const { active, add, setEnabled, open } = stores.mods.getState();
    const { id } = add(name, source, { needs, entry });
    setEnabled([id], false);
    if (active !== null) open(active);
    undos.push(() => void stores.mods.getState().remove(id));
  }
  const library = vectorLibraryOf(stores).getState();
  // Imports the oldest first, so that the order stays the same.
  for (const vector of vectors.toReversed()) {
    const { id } = library.add(vector);
    undos.push(() => void library.remove(id));
  }
  if (setup) {
    const undoTurns = stores.conversation.getState().replace(setup.turns);
    undos.push(() => void undoTurns(), stores.settings.getState().change(setup.settings));
  }
  return undos;
}

type BroughtRuns = Pick<WorkspaceImportResult, "known" | "refused" | "why" | "leftOut" | "ended">;

/** Adds the ids of the saved runs to `importedIds`. A failure ends the import: runs up to then stay, and can be undone. */
async function bringInRuns(
  stores: Stores,
  { contents, runs: runsOfWorkspace }: OpenedWorkspace,
  isChosen: boolean,
  { signal, onProgress }: BringInOptions,
  importedIds: string[],
): Promise<BroughtRuns> {
  let known = 0;
  let refused = 0;
  let why: string | null = null;
  let read = 0;
  const unknownFields: string[] = [];
  let ended: string | null = null;
  try {
    for await (const found of isChosen ? runsOfWorkspace(signal) : []) {
      if (signal.aborted) break;
      onProgress(read, Math.max(contents.runCount, read + 1));
      read += 1;
      const [here] = found ? await stores.runs.facts([found.run.id]) : [];
      if (here) {
        known += 1;
        continue;
      }
      const refusal = found
        ? await bringInRun(stores, found.run, found.trace, signal)
        : "A line in the file is not a run.";
      if (found && refusal === null) {
        importedIds.push(found.run.id);
        if (found.leftOut !== null) unknownFields.push(found.leftOut);
      } else if (!signal.aborted) {
        refused += 1;
        why ??= refusal;
      }
    }
  } catch (cause) {
    ended = messageOf(cause);
  }
  return { known, refused, why, leftOut: leftOutOf(unknownFields), ended };
}

/** A sentence about the first unknown field, and the number of further runs with unknown fields; null if there is none. */
function leftOutOf(sentences: readonly string[]): string | null {
  const [first] = sentences;
  if (first === undefined || sentences.length === 1) return first ?? null;
  return `${first} ${countWithNoun(sentences.length - 1, "more run")} in the file also had unknown fields.`;
}

/** A sentence that says why the run was refused; null if it was saved. @throws the errors of the database. */
async function bringInRun(
  { runs }: Stores,
  { id, when, interrupted, star, tags, title }: WorkspaceRun,
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<string | null> {
  const opening = startOpeningFile(bytes, layersCodec);
  try {
    const model = await runInSlices(opening.steps, { signal });
    const origin = { id, when, interrupted, modIds: [], from: null, recorded: true };
    const { facts, ...rest } = runToSaveFromFile(model, origin, bytes);
    if (signal.aborted) return "The import was stopped.";
    await runs.keep({ ...rest, facts: { ...facts, star, tags, title } });
    return null;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name !== "AbortError") throw cause;
    return messageOf(cause);
  } finally {
    opening.release();
  }
}
