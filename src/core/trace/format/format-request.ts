/** The first record: what was asked, of which model, with which mods. Part of `format.ts`, which says how to change it. */
import type { SamplingSettings } from "../../base/sampling.ts";

export const messageRoles = ["user", "assistant", "system", "tool"] as const;

export interface TraceMessage {
  readonly role: (typeof messageRoles)[number];
  readonly content: string | readonly { readonly type: string; readonly text?: string }[] | null;
  readonly name?: string;
  readonly tool_calls?: readonly TraceToolCall[];
  readonly tool_call_id?: string;
}

export interface TraceToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export const modelDevices = ["wasm", "webgpu", "scripted", "server"] as const;

/** Which weights ran, and on what. */
export interface TraceModelInfo {
  readonly id: string;
  readonly revision: string | null;
  /** The graph's file, for example `onnx/model_q4.onnx`. */
  readonly file: string;
  readonly device: (typeof modelDevices)[number];
  /** The device's own name; empty if unknown. */
  readonly adapter: string;
  readonly vocabularySize: number;
  /** Sizes of its layers, where it was loaded so that they could be read and steered; absent if it was not. */
  readonly layers?: { readonly layerCount: number; readonly hiddenSize: number };
}

export interface TraceMod {
  readonly name: string;
  /** TypeScript, as written. */
  readonly source: string;
  /** Name of the export that ran; the default export where it is missing. */
  readonly entry?: string;
}

/** A mod as a record of a request has it. */
export interface RecordedMod extends TraceMod {
  /** The mod declared that it removes at most so many of the last tokens. Absent if it did not say. */
  readonly maxBacktrack?: number;
}

/** How long each mod could take, in whole milliseconds. */
export interface TraceDeadlines {
  /** Milliseconds for loading the mod's own file. */
  readonly load: number;
  readonly prefilled: number;
  /** Milliseconds for each event other than `prefilled`. */
  readonly event: number;
}

/** The request that a request branches off. */
export interface TraceBranch {
  /** Id of the other request. */
  readonly requestId: string;
  /** Index of the first token that this request did not take over from the other one. */
  readonly index: number;
  /** Whether the token was chosen by hand; otherwise the sampler drew it. */
  readonly isChosen: boolean;
  /**
   * The number of first records that were copied from the other request, whose mods were others. The mods of this
   * request were told those events, and their replies changed nothing. 0 if the same mods took part from the start.
   */
  readonly caughtUp: number;
  /** The number of mods, at the end of the list, that took part only in those copied records. */
  readonly parentMods: number;
  /** The first event among those records that a mod of this request would have answered otherwise; null if there is none. */
  readonly difference: TraceBranchDifference | null;
}

export interface TraceBranchDifference {
  /** Place among the records of what the mods were told of: its type is the event. */
  readonly record: number;
  /** The mod that answers otherwise, or one that answered then and is no longer there. */
  readonly mod: number;
  /** The reply of this run and the recorded reply, in words that follow the mod's name. */
  readonly now: string;
  readonly recorded: string;
}

export const toolChoiceLabels = ["auto", "required", "none"] as const;

/** May the model call a tool, must it, or which one, as OpenAI's API has it. */
export type TraceToolChoice =
  | (typeof toolChoiceLabels)[number]
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** How the model marks what it thinks before it answers. */
export interface TraceReasoning {
  readonly open: string;
  readonly close: string;
  /** The prompt ends inside the reasoning, so that the output has its end alone. */
  readonly isBegun: boolean;
  /**
   * Marks that the model may write around the answer itself; `close` is "" if no mark ends it. Absent if the model
   * writes no marks.
   */
  readonly answer?: { readonly open: string; readonly close: string };
}

export const modErrorRules = ["stop", "continue"] as const;

/** Always the first record. */
export interface RequestRecord {
  readonly type: "request";
  readonly requestId: string;
  /** Milliseconds since 1970; 0 if it was left out. */
  readonly createdAt: number;
  readonly model: TraceModelInfo;
  readonly messages: readonly TraceMessage[];
  /** The text of the messages was the whole prompt, without the model's chat template. Absent otherwise. */
  readonly rawPrompt?: true;
  /** Names of special tokens in the messages were read as special tokens. Absent if the names stayed text. */
  readonly parseSpecial?: true;
  /** Texts before the model's own tokens were not healed. */
  readonly heal?: false;
  /** Definition of each tool that the client offers, as JSON text: the prompt holds it as the client wrote it. */
  readonly tools: readonly string[];
  readonly toolChoice: TraceToolChoice;
  /** May one answer have several calls? */
  readonly parallelToolCalls: boolean;
  /** The response format as JSON text; null if any text may answer. */
  readonly responseFormat: string | null;
  readonly sampling: SamplingSettings;
  readonly seed: number;
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** Most forward passes that the request may take. */
  readonly budget: number;
  readonly onModError: (typeof modErrorRules)[number];
  /** Null if the deadlines were not recorded, or if there was no mod. */
  readonly deadlines: TraceDeadlines | null;
  readonly mods: readonly RecordedMod[];
  /** Null if the request began with its prompt. */
  readonly branch: TraceBranch | null;
  /** The maker's name, given when the run was shared. Nobody checks it. Absent if the maker gave none. */
  readonly maker?: string;
  /** Whether the model was asked to think before it answers. Absent if its chat template decided. */
  readonly thinking?: boolean;
  /** Absent if the output holds no reasoning: the model does not think, or the prompt closed it. */
  readonly reasoning?: TraceReasoning;
}
