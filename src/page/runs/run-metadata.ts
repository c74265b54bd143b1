/** The saved data of a run apart from its trace: metadata for the list of runs, and whole texts for the search. */
import { textOfMessage } from "../../core/base/message-text.ts";
import type { FinishedRecord } from "../../core/trace/format/format.ts";
import { ownMods } from "../../core/trace/format/request-mods.ts";
import { outputTextOf } from "../../core/trace/model/output-text.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";

/** The user's marks on a saved run. */
export interface RunMarks {
  readonly star: boolean;
  /** Each tag once, in the order in which the user gave them. */
  readonly tags: readonly string[];
  /** The name that the user gave the run; null if none was given. */
  readonly title: string | null;
}

/** The page's metadata of a run beside its trace. */
export interface RunPageMetadata {
  readonly id: string;
  /** Milliseconds since 1970: when the run began here; for an imported run, when it was opened here. */
  readonly when: number;
  /** Ids of the user's mods, in the order of the trace's mods; empty for a run that was recorded elsewhere. */
  readonly modIds: readonly string[];
  /** The run that this one branches off, or whose prompt, mods and settings were put into the editor for it; null if there was none. */
  readonly from: string | null;
  /** True for a run from a link or a file, which was not run here. */
  readonly recorded: boolean;
  /** True if the page was left before the run ended: the record ends there. */
  readonly interrupted: boolean;
}

/** The place at which a run branches off another, as its record says. */
export interface RunBranch {
  /** The id of the other run's request. */
  readonly requestId: string;
  /** Index of the first token that the run did not take over. */
  readonly index: number;
  /** Whether the token was chosen by hand; otherwise the sampler drew it. */
  readonly isChosen: boolean;
  /** Whether the run continued with other mods. Absent if not. */
  readonly hasOtherMods?: boolean;
  /** The beginning of the text that the run does not share with its parent. */
  readonly words: string;
}

/** One run in the list of runs. Small, so that a list of thousands reads no trace. */
export interface RunMetadata extends RunPageMetadata, RunMarks {
  /** Empty if the record does not say. */
  readonly requestId: string;
  /** Null for a run that began with its prompt. For a branch, `from` is its parent, if the parent ran in this browser. */
  readonly branch: RunBranch | null;
  /** Id of the model; empty if the record does not say. */
  readonly model: string;
  /** Names of the mods, as the record has them. */
  readonly mods: readonly string[];
  /** The beginning of the last message and of the output. */
  readonly prompt: string;
  readonly output: string;
  /** Number of output tokens, without the end-of-sequence token. */
  readonly tokens: number;
  /** Null if the record has no end. */
  readonly finishReason: FinishedRecord["reason"] | null;
  /** Size of the saved trace. */
  readonly bytes: number;
  /** The maker of the run, as its record says; absent if the record has no name. */
  readonly maker?: string;
}

/** The whole texts that the search looks through. */
export interface RunTexts {
  /** Every message of the conversation; if the record has none, the computed prompt. */
  readonly prompt: string;
  readonly output: string;
}

/** The longest excerpts of prompt and output in the metadata, in UTF-16 units. */
const excerptLength = 160;
const wordsLength = 80;
/** The most mods whose names are in the metadata, since a record from outside may have any number. */
const mostNames = 32;
const longestName = 200;

export function runTextsOf(trace: TraceModel): RunTexts {
  const { request, prefilled, finished } = trace;
  const messages = (request?.messages ?? []).map(textOfMessage).filter((text) => text !== "");
  const read = () => (prefilled?.tokens ?? []).map(({ text }) => text).join("");
  const calls = (finished?.toolCalls ?? []).map(
    (call) => `${call.function.name}(${call.function.arguments})`,
  );
  const answer = finished ? finished.text : outputTextOf(trace);
  return {
    prompt: messages.length > 0 ? messages.join("\n\n") : read(),
    output: [answer, ...calls].filter((text) => text !== "").join("\n"),
  };
}

/** `bytes`: size of the encoded trace. */
export function runMetadataOf(
  trace: TraceModel,
  texts: RunTexts,
  origin: RunPageMetadata,
  bytes: number,
): RunMetadata {
  const { request, finished, tokens, outputTokens } = trace;
  const asked = request?.messages.map(textOfMessage).findLast((text) => text !== "") ?? texts.prompt;
  const { id, when, modIds, from, recorded, interrupted } = origin;
  return {
    id,
    when,
    modIds,
    from,
    recorded,
    interrupted,
    star: false,
    tags: [],
    title: null,
    ...branchMetadataOf(trace),
    model: request?.model.id.slice(0, longestName) ?? "",
    mods: (request ? ownMods(request) : []).slice(0, mostNames).map(({ name }) => name.slice(0, longestName)),
    prompt: asked.slice(0, excerptLength),
    output: texts.output.slice(0, excerptLength),
    tokens: outputTokens.filter((index) => tokens.kind[index] !== "end").length,
    finishReason: finished?.reason ?? null,
    bytes,
    ...(request?.maker !== undefined && { maker: request.maker.slice(0, longestName) }),
  };
}

/** The record's metadata of the request and of the request that it branches off. */
function branchMetadataOf(trace: TraceModel): Pick<RunMetadata, "requestId" | "branch"> {
  const { request } = trace;
  const requestId = request?.requestId.slice(0, longestName) ?? "";
  if (!request?.branch) return { requestId, branch: null };
  const { index, isChosen, caughtUp, requestId: other } = request.branch;
  let words = "";
  for (const own of trace.outputTokens) {
    if (own < index) continue;
    words += trace.tokens.text[own] ?? "";
    if (words.length >= wordsLength) break;
  }
  return {
    requestId,
    branch: {
      requestId: other.slice(0, longestName),
      index,
      isChosen,
      words: words.slice(0, wordsLength),
      ...(caughtUp > 0 && { hasOtherMods: true }),
    },
  };
}
