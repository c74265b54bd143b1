/**
 * Goes on from the middle of a run with the mods as they are in the editor now, as a branch of that run: what stands there
 * already is kept as it was recorded, and the mods are told of it, so that their state is what it would be had they been there.
 */
import { isBanning, isBuiltIn } from "../../../core/sdk/built-in.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import type { LeftOut } from "../../../core/trace/format/left-out.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import { goOnPlace } from "../../../core/trace/model/go-on-place.ts";
import { visibleText } from "../../../core/trace/text/visible-text.ts";
import { isFramedByAnother } from "../share/framed.ts";
import type { UserMod } from "./mods-store.ts";
import type { RunState } from "./run-store.ts";
import { requestOfRecord } from "./start-branch.ts";
import { announceRun, prepareToRun } from "./start-run.ts";
import type { Stores } from "./stores.ts";

/** `index`: of the first token that is written anew; null goes on where the run stands. */
export async function startChanged(stores: Stores, index: number | null): Promise<void> {
  const { run: runs, model, notices } = stores;
  const { trace, id, modIds, status, pausedAt } = runs.getState();
  const { request } = trace;
  const say = notices.getState().show;
  if (request === null) return;
  const refusal = leftOutFor(trace.leftOut) ?? (isFramedByAnother(window) ? framed : null);
  if (refusal !== null) return say(refusal);
  const isBetweenSteps = status === "paused" ? pausedAt?.isBetweenSteps === true : endedBetweenSteps(trace);
  const place = goOnPlace(trace, index, isBetweenSteps);
  if (place === null) return say("The link left out the token ids of this run: run it again, then continue.");
  const chosen = model.getState().choice?.reference.id;
  if (chosen !== request.model.id)
    return say(
      `This run was made by ${visibleText(request.model.id)}: choose that model in the bar, then continue.`,
    );
  const mods = stores.mods.getState().mods.filter(({ enabled }) => enabled);
  const own = mods.map(({ name, source, entry }) => ({ name, source, ...(entry !== null && { entry }) }));
  // The setting of the run, which stays.
  const banning = ownMods(request).filter(isBanning);
  const banningPlaces = banning.map((mod) => request.mods.indexOf(mod));
  // A paused run grows by its end as soon as this one begins.
  const branchPoint = {
    records: [...trace.records],
    ...place,
    token: null,
    follows: [...followedBy(request, modIds, mods), ...banningPlaces],
  };
  await announceRun(stores, async (signal) => {
    if (!(await prepareToRun(stores, mods, signal))) return;
    if (model.getState().choice?.reference.id !== request.model.id)
      throw new Error(
        `The run needs ${request.model.id}, and another model was chosen while it loaded. Choose ${request.model.id} in the bar, then continue.`,
      );
    runs.getState().run(
      { ...requestOfRecord(request), mods: [...own, ...banning], branchPoint },
      mods.map((mod) => mod.id),
      id,
    );
  });
}

const framed = "This page is shown inside another site, so nothing runs. Open it in its own tab.";

/** Why a link cannot be gone on from for what it left out; null if it can. */
function leftOutFor(leftOut: ReadonlySet<LeftOut>): string | null {
  return leftOut.has("prompt")
    ? "The link left out the prompt, which the model continues: open the run’s .trace file."
    : null;
}

/** For each mod the place of the one among those that ran whose newer version it is: the same in the list of mods, or one of its name. */
export function followedBy(
  request: RequestRecord,
  modIds: readonly string[],
  mods: readonly Pick<UserMod, "id" | "name">[],
): readonly (number | null)[] {
  const ran = ownMods(request).flatMap((mod, place) =>
    isBuiltIn(mod) || isBanning(mod) ? [] : [{ name: mod.name, place }],
  );
  const known = new Set(mods.map(({ id }) => id));
  const taken = new Set<number>();
  const byId = mods.map(({ id }) => ran.find(({ place }) => modIds[place] === id)?.place ?? null);
  for (const place of byId) if (place !== null) taken.add(place);
  return mods.map(({ name }, at) => {
    const found = byId[at] ?? null;
    if (found !== null) return found;
    // One that is in the list under its id is followed by itself alone.
    const free = ran.filter(({ place }) => !taken.has(place) && !known.has(modIds[place] ?? ""));
    const named = free.find((each) => each.name === name)?.place ?? null;
    if (named !== null) taken.add(named);
    return named;
  });
}

/** Whether a run that has ended did so after all of its last event was answered: a mod that failed at it did not answer. */
function endedBetweenSteps({ finished }: RunState["trace"]): boolean {
  return finished?.reason !== "error";
}

/** Where the shown run may go on with the mods of the editor: `null` for where it stands. None if they are those that ran. */
export function goOnPlaces(
  { status, trace, selection }: Pick<RunState, "status" | "trace" | "selection">,
  mods: Parameters<typeof areOtherMods>[1],
): readonly (number | null)[] {
  const isPaused = status === "paused";
  const isOver = status === "finished" || status === "failed";
  if (trace.request === null || !(isPaused || isOver) || !areOtherMods(trace.request, mods)) return [];
  const cursor = selection?.cursor ?? null;
  return [
    ...(isPaused || endedEarly(trace) ? [null] : []),
    ...(cursor !== null && cursor < trace.tokens.text.length ? [cursor] : []),
  ];
}

/** Whether a run that ended did so before its answer was whole, so that there is something to go on with at its end. */
function endedEarly({ finished }: RunState["trace"]): boolean {
  return finished === null || finished.reason === "error" || finished.reason === "cancelled";
}

/** Whether these mods are others than those that ran: in number, order, source or export. */
export function areOtherMods(
  request: RequestRecord,
  mods: readonly Pick<UserMod, "enabled" | "source" | "entry">[],
): boolean {
  const key = ({ source, entry }: { readonly source: string; readonly entry?: string | null }) =>
    JSON.stringify([source, entry ?? null]);
  const then = ownMods(request)
    .filter((mod) => !isBuiltIn(mod) && !isBanning(mod))
    .map(key);
  const now = mods.filter(({ enabled }) => enabled).map(key);
  return then.length !== now.length || then.some((each, place) => each !== now[place]);
}
