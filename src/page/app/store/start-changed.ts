/**
 * Starts a branch from the middle of a run with the editor's present mods. The output before that place stays as recorded, and the
 * mods catch up with its events, so that their state is the same as if they had been there.
 */
import { isBanningMod, isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import type { LeftOut } from "../../../core/trace/format/left-out.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import { continuationPlace } from "../../../core/trace/model/go-on-place.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { isFramedByAnother } from "../share/framed.ts";
import type { UserMod } from "./mods-store.ts";
import { tokensBeyondLimit } from "./place-to-continue.ts";
import type { RunState } from "./run-store.ts";
import { requestOfRecord } from "./start-branch.ts";
import { performRunPreparation, prepareToRun } from "./start-run.ts";
import type { Stores } from "./stores.ts";

/** `index`: the first token that is generated again; null continues at the run's end, beyond its limit of tokens if it reached that. */
export async function continueWithChangedMods(stores: Stores, index: number | null): Promise<void> {
  const { run: runs, model, notices } = stores;
  const { trace, id, modIds, status, pausedAt } = runs.getState();
  const { request } = trace;
  const say = (text: string): void => void notices.getState().fail(text);
  if (request === null) return;
  const refusal = leftOutFor(trace.leftOut) ?? (isFramedByAnother(window) ? framed : null);
  if (refusal !== null) return say(refusal);
  const isBetweenSteps = status === "paused" ? pausedAt?.isBetweenSteps === true : endedBetweenSteps(trace);
  const place = continuationPlace(trace, index, isBetweenSteps);
  if (place === null) return say("The link left out the token ids of this run: run it again, then continue.");
  const chosen = model.getState().choice?.reference.id;
  if (chosen !== request.model.id)
    return say(
      `This run used ${showInvisibleCharacters(request.model.id)}: choose that model, then continue.`,
    );
  const mods = stores.mods.getState().mods.filter(({ enabled }) => enabled);
  const own = mods.map(({ name, source, entry }) => ({ name, source, ...(entry !== null && { entry }) }));
  // The setting of the run, which stays.
  const banning = ownMods(request).filter(isBanningMod);
  const banningPlaces = banning.map((mod) => request.mods.indexOf(mod));
  // A paused run gets its last record as soon as this run begins.
  const branchPoint = {
    records: [...trace.records],
    ...place,
    token: null,
    follows: [...replacedModIndices(request, modIds, mods), ...banningPlaces],
  };
  await performRunPreparation(stores, async (signal) => {
    if (!(await prepareToRun(stores, mods, signal))) return;
    if (model.getState().choice?.reference.id !== request.model.id)
      throw new Error(
        `The run needs ${request.model.id}, but you chose another model while this one was loading. Choose ${request.model.id}, then continue.`,
      );
    const maxTokens = request.maxTokens + ((index === null ? tokensBeyondLimit(trace) : null) ?? 0);
    runs.getState().run(
      { ...requestOfRecord(request), maxTokens, mods: [...own, ...banning], branchPoint },
      mods.map((mod) => mod.id),
      id,
    );
  });
}

const framed = "This page is shown inside another site, so nothing runs. Open it in its own tab.";

/** The reason why no branch can start from a link that leaves parts out; null if one can. */
function leftOutFor(leftOut: ReadonlySet<LeftOut>): string | null {
  return leftOut.has("prompt")
    ? "The link left out the prompt, so this run cannot be continued from the link: open the run’s .trace file."
    : null;
}

/** For each mod, the index of the recorded mod that it replaces: the one with the same id, or else with the same name. */
export function replacedModIndices(
  request: RequestRecord,
  modIds: readonly string[],
  mods: readonly Pick<UserMod, "id" | "name">[],
): readonly (number | null)[] {
  const ran = ownMods(request).flatMap((mod, place) =>
    isRequestFormatMod(mod) || isBanningMod(mod) ? [] : [{ name: mod.name, place }],
  );
  const known = new Set(mods.map(({ id }) => id));
  const taken = new Set<number>();
  const byId = mods.map(({ id }) => ran.find(({ place }) => modIds[place] === id)?.place ?? null);
  for (const place of byId) if (place !== null) taken.add(place);
  return mods.map(({ name }, at) => {
    const found = byId[at] ?? null;
    if (found !== null) return found;
    // A recorded mod whose id is in the list is replaced only by the mod with this id.
    const free = ran.filter(({ place }) => !taken.has(place) && !known.has(modIds[place] ?? ""));
    const named = free.find((each) => each.name === name)?.place ?? null;
    if (named !== null) taken.add(named);
    return named;
  });
}

/** Whether all mods replied to the last event of a run that has ended. A mod that failed at the event did not reply. */
function endedBetweenSteps({ finished }: RunState["trace"]): boolean {
  return finished?.reason !== "error";
}

/**
 * Places from which the shown run may branch with the editor's mods; `null` is the run's end. Empty if the editor's mods are the
 * ones that ran, and while the run is in progress without a pause.
 */
export function placesToContinue(
  { status, trace, selection }: Pick<RunState, "status" | "trace" | "selection">,
  mods: Parameters<typeof areOtherMods>[1],
): readonly (number | null)[] {
  const isPaused = status === "paused";
  const isOver = status === "finished" || status === "failed";
  if (trace.request === null || !(isPaused || isOver) || !areOtherMods(trace.request, mods)) return [];
  const cursor = selection?.cursor ?? null;
  return [
    ...(isPaused || endedEarly(trace) || tokensBeyondLimit(trace) !== null ? [null] : []),
    ...(cursor !== null && cursor < trace.tokens.text.length ? [cursor] : []),
  ];
}

/** Whether a run ended before its output was complete, so that it can continue at its end. */
function endedEarly({ finished }: RunState["trace"]): boolean {
  return finished === null || finished.reason === "error" || finished.reason === "cancelled";
}

/** Whether these mods differ from the mods that ran: in number, order, source or export. */
export function areOtherMods(
  request: RequestRecord,
  mods: readonly Pick<UserMod, "enabled" | "source" | "entry">[],
): boolean {
  const key = ({ source, entry }: { readonly source: string; readonly entry?: string | null }) =>
    JSON.stringify([source, entry ?? null]);
  const then = ownMods(request)
    .filter((mod) => !isRequestFormatMod(mod) && !isBanningMod(mod))
    .map(key);
  const now = mods.filter(({ enabled }) => enabled).map(key);
  return then.length !== now.length || then.some((each, place) => each !== now[place]);
}
