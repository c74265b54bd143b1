/** Verifies the shown run: asks its mods again without the model, or runs the whole request again. Does not depend on React. */

import { isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import { rerunDifference } from "../../../core/trace/compare/rerun-difference.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import type { LeftOut } from "../../../core/trace/format/left-out.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import { tokenAtRecord } from "../../../core/trace/model/token-at.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import type { ModelReference, Verification } from "../../../runtime/session/shared/protocol.ts";
import type { RequestMod } from "../../../runtime/session/shared/requests.ts";
import { countWithNoun } from "../../../view/ui/format.ts";
import { isFramedByAnother } from "../share/framed.ts";
import { limitsOfRecord } from "../store/limit-settings.ts";
import { requestOfRecord } from "../store/start-branch.ts";
import { newRequestId } from "../store/start-run.ts";
import type { Stores } from "../store/stores.ts";

/** The result as a sentence. */
export interface VerificationVerdict {
  readonly kind: "same" | "different" | "unknown";
  readonly sentence: string;
  /** Named parts of the first difference; none if there is none. */
  readonly details: readonly { readonly name: string; readonly text: string }[];
  /** Token of the shown run at the first difference; null if there is none. */
  readonly index: number | null;
  readonly hint: string;
}

const plainVerdict = (
  kind: VerificationVerdict["kind"],
  sentence: string,
  hint = "",
): VerificationVerdict => ({
  kind,
  sentence,
  hint,
  details: [],
  index: null,
});

/**
 * The user mods of the shown run with their present sources in the editor; a mod that the editor lacks keeps its recorded source.
 * Null if no source has changed.
 */
export function editedMods({ run, mods }: Stores): readonly RequestMod[] | null {
  const { trace, modIds } = run.getState();
  const own = mods.getState().mods;
  let isEdited = false;
  const now = userMods(trace.request).map((mod, place) => {
    const found = own.find(({ id }) => id === modIds[place]) ?? own.find(({ name }) => name === mod.name);
    if (!found || found.source === mod.source) return mod;
    isEdited = true;
    return { ...mod, source: found.source };
  });
  return isEdited ? now : null;
}

function userMods(request: RequestRecord | null): readonly RequestMod[] {
  return request === null ? [] : ownMods(request).filter((mod) => !isRequestFormatMod(mod));
}

/**
 * Asks the mods about the recorded events and compares their replies with the recorded replies. `given`: the mods to ask;
 * without these, the recorded mods. The verdict is "unknown" if the record lacks something or the run had no mods. @throws Error,
 * for example if the model is not in the list or the page is shown inside another site.
 */
export async function verifyModReplies(
  stores: Stores,
  signal: AbortSignal,
  given: readonly RequestMod[] | null = null,
): Promise<VerificationVerdict> {
  refuseFramed();
  const { trace } = stores.run.getState();
  const { request, leftOut } = trace;
  const mods = given ?? userMods(request);
  const refusal =
    request === null
      ? "The recorded run is incomplete: its settings and prompt are missing, so it cannot be checked."
      : leftOutFor(leftOut);
  if (request === null || refusal !== null) return plainVerdict("unknown", refusal ?? "");
  if (mods.length === 0)
    return plainVerdict("unknown", "This run used no mods, so there is nothing to check.");
  const records = [...trace.records];
  const model = await referenceOf(stores, request);
  const { deadlines } = limitsOfRecord(request);
  const found = await stores.engine.session.verify(
    { requestId: newRequestId(), records, mods, deadlines, model },
    signal,
  );
  return describeVerification(found, records, leftOut);
}

/** Says in words what came of asking the mods. `records`: the records of the shown run. */
export function describeVerification(
  { calls, difference, missing }: Verification,
  records: readonly TraceRecord[],
  leftOut: ReadonlySet<LeftOut>,
): VerificationVerdict {
  const answered = `The mods replied to ${countWithNoun(calls, "event")} as recorded`;
  if (difference) {
    const { place, now, where, recorded, event } = difference;
    return {
      kind: "different",
      sentence: `${answered}, but ${event === null ? "the effect of the replies" : "the reply to the next event"} differs.`,
      details: [
        { name: "Event", text: event ?? "the effect of the replies" },
        { name: "Where", text: where ?? "after the end of the recorded run" },
        { name: "Recorded", text: showInvisibleCharacters(recorded ?? "the run ends") },
        { name: "Now", text: showInvisibleCharacters(now) },
      ],
      index: tokenAtRecord(records, place),
      hint: leftOut.has("exactNumbers")
        ? "A link rounds numbers, which can be enough to make a mod reply differently. Open the run’s .trace file, which has the exact numbers."
        : "",
    };
  }
  if (!missing) return plainVerdict("same", `${answered}: no differences.`);
  const hint = leftOut.has("given")
    ? "A link leaves out the probabilities that mods read. Open the run’s .trace file, which has them."
    : "To check the mods together with the model, choose “Run again and compare”.";
  const upTo = calls > 0 ? `${answered}, up to step ${missing.step}. ` : "";
  return plainVerdict("unknown", `${upTo}${showInvisibleCharacters(missing.message)}`, hint);
}

/** Why a link cannot be verified, because it lacks a part; null if it can. */
function leftOutFor(leftOut: ReadonlySet<LeftOut>): string | null {
  const prompt = leftOut.has("prompt") ? "the prompt" : null;
  const what = leftOut.has("tokenIds") ? "the ids of the tokens" : prompt;
  return what && `The link left out ${what}, which the mods need: open the run’s .trace file.`;
}

/**
 * The model of the record, whose tokenizer is read. Only models of the list are fetched, because the record may come from a
 * stranger.
 */
async function referenceOf(
  { model, engine }: Stores,
  { model: { id } }: RequestRecord,
): Promise<ModelReference> {
  const chosen = model.getState().choice?.reference;
  if (chosen?.id === id) return chosen;
  const found = (await engine.listModels()).find(({ reference }) => reference.id === id);
  if (found) return found.reference;
  throw new Error(
    `The run used ${showInvisibleCharacters(id)}, which is not in your list of models: add this model in the model menu, then check again. Only its tokenizer is read.`,
  );
}

/**
 * Runs the recorded request again on this machine with the recorded seed. The shown run stays. The verdict is "unknown" if the
 * record lacks something, begins with another run's text, or used another model than the chosen one. @throws Error, for example
 * if the model does not load, the page is shown inside another site, or `signal` is aborted.
 */
export async function verifyByRerun(
  stores: Stores,
  signal: AbortSignal,
  onTokens: (count: number) => void,
): Promise<VerificationVerdict> {
  refuseFramed();
  const { trace } = stores.run.getState();
  const { request, leftOut } = trace;
  if (request === null)
    return plainVerdict(
      "unknown",
      "The recorded run is incomplete: its settings and prompt are missing, so it cannot be repeated.",
    );
  const problem = againProblem(stores, request, leftOut);
  if (problem !== null) return plainVerdict("unknown", problem);
  const recorded = [...trace.records];
  const loaded = await stores.model.getState().load();
  signal.throwIfAborted();
  if (!loaded) throw new Error("The model was not loaded.");
  const again: TraceRecord[] = [];
  let tokens = 0;
  const { done, stop } = stores.engine.session.run(requestOfRecord(request), (records) => {
    for (const record of records) {
      again.push(record);
      if (record.type === "added") tokens += record.tokens.length;
    }
    onTokens(tokens);
  });
  signal.addEventListener("abort", stop);
  await done;
  signal.throwIfAborted();
  const difference = rerunDifference(recorded, again);
  if (difference === null)
    return plainVerdict(
      "same",
      `The new run is the same, token for token: ${countWithNoun(tokens, "token")}.`,
    );
  const isOther = request.model.device !== loaded.device;
  return {
    kind: "different",
    sentence: `The runs differ after ${countWithNoun(difference.tokens, "token")}.`,
    details: [
      { name: "Recorded", text: showInvisibleCharacters(difference.recorded) },
      { name: "Now", text: showInvisibleCharacters(difference.now) },
    ],
    index: difference.index,
    hint: isOther
      ? `The run was recorded on ${request.model.device} and repeated on ${loaded.device}: the last digits of numbers can differ between devices.`
      : "",
  };
}

function againProblem(
  { model }: Stores,
  request: RequestRecord,
  leftOut: ReadonlySet<LeftOut>,
): string | null {
  if (leftOut.has("prompt")) return "The link left out the prompt: open the run’s .trace file.";
  if (request.branch !== null) {
    return "This run is a branch: its first words come from another run, so it cannot be run again from the start. Choose “Check the mods” instead, or check the run that it continues.";
  }
  const isChosen = model.getState().choice?.reference.id === request.model.id;
  return isChosen
    ? null
    : `The run used ${showInvisibleCharacters(request.model.id)}: choose that model, then run again.`;
}

function refuseFramed(): void {
  if (isFramedByAnother(window))
    throw new Error("This page is shown inside another site, so nothing runs. Open it in its own tab.");
}
