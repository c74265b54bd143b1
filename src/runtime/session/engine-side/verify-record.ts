/** Runs the decode loop again on a recorded request, with the model's tokenizer but without the model. */
import type { ResumableWork } from "../../../core/base/resumable-work.ts";
import type { ModHost } from "../../../core/decoder/ports/mod-host.ts";
import type { DecodeRequest } from "../../../core/decoder/ports/request.ts";
import { type Verification, verifyReplay } from "../../../core/decoder/replay/verify.ts";
import { isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import type { TokenId } from "../../../core/sdk/request.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import type { TokenizerAndPrompts } from "../../engine/load/load-model.ts";
import { recordedRequest } from "../shared/recorded-request.ts";
import type { RequestMod, VerifyRequest } from "../shared/requests.ts";
import { makePromptAndFormat, promptOf } from "./answer-format.ts";
import { createPromptMaker } from "./prompt-maker.ts";

export interface RequestVerificationOptions {
  readonly bundle: TokenizerAndPrompts;
  /** New instances of the request's mods. */
  readonly mods: readonly ModHost[];
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Makes a prompt. A separate function, because a hostile chat template may never end, and the caller watches the time. */
  readonly makePrompt: <Made>(steps: ResumableWork<Made>) => Promise<Made>;
}

/** @throws Error that says why the record cannot be verified; RangeError if a number in it is not allowed in a request. */
export async function verifyRecordedRequest(
  { records, mods: sources }: VerifyRequest,
  { bundle, mods, now, signal, makePrompt }: RequestVerificationOptions,
): Promise<Verification> {
  const record = requestOfTrace(records);
  const { tokenizer } = bundle;
  const fields = recordedRequest(record);
  const asked = { ...fields, requestId: record.requestId, mods: sources };
  // The built-in mod for the output's format belongs to the request. It reads all logits, so an error about a missing record
  // names it.
  const host = ownMods(record).some(isRequestFormatMod)
    ? (await makePrompt(makePromptAndFormat(asked, bundle))).host
    : null;
  const recorded = recordedPrompt(records);
  const prompt = recorded ?? (await makePrompt(promptOf(fields, bundle)));
  const modSources: readonly Omit<RequestMod, "name">[] = host ? [...sources, host] : sources;
  const request: DecodeRequest = {
    ...fields,
    requestId: record.requestId,
    prompt,
    model: record.model,
    modSources: modSources.map(({ source, entry }) => ({ source, ...(entry && { entry }) })),
    deadlines: record.deadlines,
    createdAt: record.createdAt,
  };
  const prompts = createPromptMaker(fields, bundle, makePrompt);
  return verifyReplay(request, records, {
    tokenizer,
    prompts,
    mods: host ? [...mods, host] : mods,
    now,
    signal,
  });
}

/** @throws Error if the first record is not the request. */
export function requestOfTrace(records: readonly TraceRecord[]): RequestRecord {
  const [record] = records;
  if (record?.type !== "request")
    throw new Error(
      "The recorded run is incomplete: its settings and prompt are missing, so it cannot be checked.",
    );
  return record;
}

/** The prompt before mods changed it; null if a mod replaced it, because the record then has only the new prompt. */
function recordedPrompt(records: readonly TraceRecord[]): readonly TokenId[] | null {
  const read = records.find((record) => record.type === "prefilled");
  if (read?.type !== "prefilled") {
    throw new Error("The run ended before its prompt was read: there is nothing to verify.");
  }
  return read.originalLength === null ? read.tokens.map(({ token }) => token) : null;
}
