/**
 * Goes on from the middle of a run with the mods as they are in the editor now. What stands there already is put first, as
 * one forced span that a mod of its own writes: so the new run is a whole one, which can be shared, verified and run again.
 */
import { isBuiltIn } from "../../sdk/built-in.ts";
import type { RequestRecord } from "../../trace/format-request.ts";
import { outputBefore } from "../../trace/output-before.ts";
import type { UserMod } from "./mods-store.ts";
import { requestOfRecord } from "./start-branch.ts";
import { announceRun, prepareToRun } from "./start-run.ts";
import type { Stores } from "./stores.ts";
import { isTextSoFar, textSoFar } from "./text-so-far.ts";

/** `index`: of the first token that is written anew; null goes on where the run stands. */
export async function startChanged(stores: Stores, index: number | null): Promise<void> {
  const { run: runs, model, notices } = stores;
  const { trace, id } = runs.getState();
  const { request } = trace;
  const say = notices.getState().show;
  if (request === null) return;
  const written = outputBefore(trace, index);
  if (written === null) return say("The link left out which tokens these are: run it again, then go on.");
  const chosen = model.getState().choice?.reference.id;
  if (chosen !== request.model.id)
    return say(`This run was made by ${request.model.id}: choose that model in the bar, then go on.`);
  const mods = enabledMods(stores);
  const before = written.length > 0 ? [textSoFar(written)] : [];
  await announceRun(stores, async (signal) => {
    if (!(await prepareToRun(stores, mods, signal))) return;
    const own = mods.map(({ name, source, entry }) => ({ name, source, ...(entry !== null && { entry }) }));
    runs
      .getState()
      .run(
        { ...requestOfRecord(request), mods: [...before, ...own] },
        [...before.map(() => ""), ...mods.map((mod) => mod.id)],
        id,
      );
  });
}

function enabledMods(stores: Stores): readonly UserMod[] {
  return stores.mods.getState().mods.filter(({ enabled }) => enabled);
}

/** Whether these mods are others than those that ran: in number, order, source or export. */
export function areOtherMods(
  ran: RequestRecord["mods"],
  mods: readonly Pick<UserMod, "enabled" | "source" | "entry">[],
): boolean {
  const key = ({ source, entry }: { readonly source: string; readonly entry?: string | null }) =>
    JSON.stringify([source, entry ?? null]);
  const then = ran.filter((mod) => !isBuiltIn(mod) && !isTextSoFar(mod)).map(key);
  const now = mods.filter(({ enabled }) => enabled).map(key);
  return then.length !== now.length || then.some((each, place) => each !== now[place]);
}
