/** Starts a branch of the shown run: a new run with the same mods and seed, in which another token replaces one, or which continues at the end. */

import { isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import { type BranchPlace, branchPlace } from "../../../core/trace/model/branch-place.ts";
import { recordedRequest } from "../../../runtime/session/shared/recorded-request.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import { limitsOfRecord } from "./limit-settings.ts";
import { placeToContinue } from "./place-to-continue.ts";
import { clampSamplingOfRecord } from "./sampling-of.ts";
import { endPreparationWithoutModel, newRequestId, performRunPreparation } from "./start-run.ts";
import type { Stores } from "./stores.ts";

/** `index`: the replaced token. `token`: its replacement; null lets the model draw one. */
export async function startBranch(stores: Stores, index: number, token: number | null): Promise<void> {
  const { trace, status } = stores.run.getState();
  const place = branchPlace(trace, index);
  if (place !== null && status === "finished") await branchFrom(stores, { ...place, token }, {});
}

/** Continues the shown run where it ended: after Stop with its own limit of tokens, at the limit with `maxTokens` further tokens. */
export async function continueAtEnd(stores: Stores): Promise<void> {
  const place = placeToContinue(stores.run.getState());
  if (place === null) return;
  const { at, maxTokens } = place;
  await branchFrom(stores, { at, kept: 0, token: null }, { maxTokens });
}

async function branchFrom(
  stores: Stores,
  place: BranchPlace & { readonly token: number | null },
  changes: Partial<Pick<RunRequest, "maxTokens">>,
): Promise<void> {
  const { run: runs, model, notices } = stores;
  const { trace, modIds, id, recorded } = runs.getState();
  const { request } = trace;
  if (request === null) return;
  if (recorded) {
    notices
      .getState()
      .fail(
        "This run was recorded elsewhere, so it cannot be branched here. Press “Fork to editor”, read the mods, press Run, then branch the new run.",
      );
    return;
  }
  const chosen = model.getState().choice?.reference.id;
  if (chosen !== request.model.id) {
    notices.getState().fail(`This run used ${request.model.id}: choose that model, then branch again.`);
    return;
  }
  const records = [...trace.records];
  await performRunPreparation(stores, async (signal) => {
    const loaded = await model.getState().load();
    if (signal.aborted) return;
    if (!loaded && model.getState().choice?.reference.id !== request.model.id)
      throw new Error(
        `The branch needs ${request.model.id}, but you chose another model while this one was loading. Choose ${request.model.id}, then branch again.`,
      );
    if (!loaded) return endPreparationWithoutModel(stores);
    const branchPoint = { records, ...place };
    runs.getState().run({ ...requestOfRecord(request), ...changes, branchPoint }, modIds, id);
  });
}

/** The request of a record, as a request that can be made again. */
export function requestOfRecord(request: RequestRecord): RunRequest {
  const { budget: _budget, ...recorded } = recordedRequest(request);
  const { budget, deadlines } = limitsOfRecord(request);
  return {
    ...recorded,
    requestId: newRequestId(),
    deadlines,
    sampling: { ...clampSamplingOfRecord(request), logitBias: request.sampling.logitBias },
    ...(budget !== null && { budget }),
    mods: ownMods(request)
      .filter((mod) => !isRequestFormatMod(mod))
      .map(({ name, source, entry }) => ({ name, source, ...(entry && { entry }) })),
  };
}
