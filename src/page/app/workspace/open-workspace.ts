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
import { hasChangedFirstPrompt } from "../store/conversation-store.ts";
import { modsProblem } from "../store/editor-limits.ts";
import { storageHasRoom } from "../store/persist.ts";
import { defaultSettings, type Settings } from "../store/settings-store.ts";
import type { Stores } from "../store/stores.ts";
import type { Undo } from "../store/take-back.ts";
import type { WorkspacePartsChoice } from "./save-workspace.ts";
import {
  type OpenedWorkspace,
  type WorkspaceContents,
  WorkspaceError,
  type WorkspaceMod,
  type WorkspaceRun,
} from "./workspace-file.ts";
import type { WorkspacePart } from "./workspace-part.ts";

interface BringInOptions {
  readonly signal: AbortSignal;
  /** Number of runs that were read, and of all runs. */
  onProgress(done: number, all: number): void;
}

export interface WorkspaceImportResult {
  readonly mods: number;
  /** Entries of the parts that features add, by the field of the part. */
  readonly parts: Readonly<Record<string, number>>;
  readonly runs: number;
  /** Mods, runs and entries of parts that this browser already had. */
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
  /** Restores mods, entries of parts, prompt and settings, and deletes the imported runs; another notice can restore the runs. */
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
  const { contents, parts } = workspace;
  const fresh = freshOf(stores, workspace, chosen);
  const problem =
    editorProblem(stores, fresh, parts) ?? (chosen.runs ? await storageSpaceProblem(workspace.size) : null);
  if (problem !== null) throw new WorkspaceError(`${problem} Nothing was changed.`);
  const undos = putIntoEditor(stores, fresh, parts);
  const importedIds: string[] = [];
  const runs = await bringInRuns(stores, workspace, chosen.runs, options, importedIds);
  const offered = [
    chosen.mods ? contents.mods : [],
    ...parts.map(({ field }) => (chosen[field] ? entriesOf(contents, field) : [])),
  ];
  const added = [fresh.mods, ...Object.values(fresh.parts)];
  return {
    mods: fresh.mods.length,
    parts: Object.fromEntries(parts.map(({ field }) => [field, entriesOf(fresh, field).length])),
    runs: importedIds.length,
    known: offered.flat().length - added.flat().length + runs.known,
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

/** Whether the user has a prompt or settings that an import would replace. */
export const hasOwnSetup = (stores: Stores): boolean =>
  hasChangedFirstPrompt(stores) || hasChangedSettings(stores.settings.getState());

/** `showsAll` does not count: the page changes it after the first run. */
function hasChangedSettings(settings: Settings): boolean {
  const names = (Object.keys(defaultSettings) as (keyof Settings)[]).filter((name) => name !== "showsAll");
  return names.some((name) => JSON.stringify(settings[name]) !== JSON.stringify(defaultSettings[name]));
}

type Fresh = Omit<WorkspaceContents, "runCount">;

const entriesOf = ({ parts }: Pick<WorkspaceContents, "parts">, field: string) => parts[field] ?? [];

/** The chosen entries of the file that this browser does not have yet. */
function freshOf(stores: Stores, { contents, parts }: OpenedWorkspace, chosen: WorkspacePartsChoice): Fresh {
  const nameOf = ({ name, source, entry }: WorkspaceMod) => JSON.stringify([name, source, entry]);
  const mods = new Set(stores.mods.getState().mods.map(nameOf));
  /** A mod or another entry that the file has twice is imported once. */
  const isFresh = (here: Set<string>, name: string) => !here.has(name) && here.add(name).has(name);
  const freshEntries = (part: WorkspacePart) => {
    const here = new Set(part.entries(stores).map((entry) => part.textOf(entry)));
    return entriesOf(contents, part.field).filter((entry) => isFresh(here, part.textOf(entry)));
  };
  return {
    mods: chosen.mods ? contents.mods.filter((mod) => isFresh(mods, nameOf(mod))) : [],
    parts: Object.fromEntries(
      parts.map((part) => [part.field, chosen[part.field] ? freshEntries(part) : []]),
    ),
    setup: chosen.setup ? contents.setup : null,
  };
}

/** Characters that must stay free, so that the next text of the user can be saved. */
const reserve = 131_072;

function editorProblem(stores: Stores, fresh: Fresh, parts: readonly WorkspacePart[]): string | null {
  const { mods, setup } = fresh;
  const tooMany = mods.length > 0 ? modsProblem(stores.mods.getState().mods.length + mods.length) : null;
  if (tooMany !== null) return tooMany;
  for (const part of parts) {
    const added = entriesOf(fresh, part.field).length;
    const count = part.entries(stores).length + added;
    if (added > 0 && count > part.most)
      return `With these, you would have ${formatCount(count)} ${part.noun}s, but the limit is ${formatCount(part.most)}: delete ${part.noun}s that you do not need.`;
  }
  const { browser, tab } = stores.storages;
  const setupLength = setup ? JSON.stringify(setup).length : 0;
  const entries = [...mods, ...Object.values(fresh.parts).flat()];
  // Each entry is stored with a key of its own.
  const length = JSON.stringify(entries).length + 200 * entries.length + setupLength;
  if (storageHasRoom(browser, length + reserve) && storageHasRoom(tab, setupLength + reserve)) return null;
  const kinds = ["mods", ...parts.map(({ noun }) => `${noun}s`)];
  return `This browser’s storage has no room for another ${formatCount(length)} characters of ${kinds.join(", ")}, prompt and settings: delete ${kinds.join(" or ")} that you do not need.`;
}

function putIntoEditor(stores: Stores, fresh: Fresh, parts: readonly WorkspacePart[]): readonly Undo[] {
  const { mods, setup } = fresh;
  const undos: Undo[] = [];
  for (const { name, source, needs, entry } of mods) {
    const { active, add, setEnabled, open } = stores.mods.getState();
    const { id } = add(name, source, { needs, entry });
    setEnabled([id], false);
    if (active !== null) open(active);
    undos.push(() => void stores.mods.getState().remove(id));
  }
  for (const part of parts) undos.push(...part.add(stores, entriesOf(fresh, part.field)));
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
      const [here] = found ? await stores.runs.metadata([found.run.id]) : [];
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
    const { metadata, ...rest } = runToSaveFromFile(model, origin, bytes);
    if (signal.aborted) return "The import was stopped.";
    await runs.save({ ...rest, metadata: { ...metadata, star, tags, title } });
    return null;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name !== "AbortError") throw cause;
    return messageOf(cause);
  } finally {
    opening.release();
  }
}
