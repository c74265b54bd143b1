/** The first record: the request, its model and its mods. Part of `format.ts`, which says how to change it. */
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

/** The model's weights, and the device on which they ran. */
export interface TraceModelInfo {
  readonly id: string;
  readonly revision: string | null;
  /** The graph's file, for example `onnx/model_q4.onnx`. */
  readonly file: string;
  readonly device: (typeof modelDevices)[number];
  /** The device's own name; empty if unknown. */
  readonly adapter: string;
  readonly vocabularySize: number;
  /** Sizes of the model's layers; absent if the model was loaded without readable layers. */
  readonly layers?: { readonly layerCount: number; readonly hiddenSize: number };
}

export interface TraceMod {
  readonly name: string;
  /** TypeScript, as written. */
  readonly source: string;
  /** Name of the export that ran; absent for the default export. */
  readonly entry?: string;
}

/** A mod in the `request` record. */
export interface RecordedMod extends TraceMod {
  /** The most tokens that the mod declared to remove at once. Absent if it declared nothing. */
  readonly maxBacktrack?: number;
}

/** Time limits of each mod, in whole milliseconds. */
export interface TraceDeadlines {
  /** Milliseconds for loading the mod's own file. */
  readonly load: number;
  readonly prefilled: number;
  /** Milliseconds for each event other than `prefilled`. */
  readonly event: number;
}

/** The request from which a request branches off. */
export interface TraceBranch {
  /** Id of the other request. */
  readonly requestId: string;
  /** Index of the first token that this request did not copy from the other request. */
  readonly index: number;
  /** True if the user chose the token; otherwise the sampler drew it. */
  readonly isChosen: boolean;
  /**
   * The number of first records that were copied from the other request, which ran with other mods. The mods of this request
   * received those events during catch-up, and their replies changed nothing. 0 if the same mods took part from the start.
   */
  readonly caughtUp: number;
  /** The number of mods, at the end of the list, that took part only in those copied records. */
  readonly parentMods: number;
  /** The first event among those records at which a mod of this request would have replied differently; null if there is none. */
  readonly difference: TraceBranchDifference | null;
}

export interface TraceBranchDifference {
  /** Number of the record of the event at which the replies differ. */
  readonly record: number;
  /** Place of the mod whose reply differs, or of a mod that replied in the parent request and is not in this one. */
  readonly mod: number;
  /** The reply of this run and the recorded reply, in words that follow the mod's name. */
  readonly now: string;
  readonly recorded: string;
}

export const toolChoiceLabels = ["auto", "required", "none"] as const;

/** Whether the model may call a tool, must call one, or must call a named one, as in OpenAI's API. */
export type TraceToolChoice =
  | (typeof toolChoiceLabels)[number]
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** The marks that the model writes around its reasoning. */
export interface TraceReasoning {
  readonly open: string;
  readonly close: string;
  /** True if the prompt ends inside the reasoning, so that the output has only the closing mark. */
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
  /** True if the text of the messages was the whole prompt, without the model's chat template. Absent otherwise. */
  readonly rawPrompt?: true;
  /** True if names of special tokens in the messages were read as special tokens. Absent if the names stayed text. */
  readonly parseSpecial?: true;
  /** False if token healing was off. Absent otherwise. */
  readonly heal?: false;
  /** The definition of each tool that the client offers, as JSON text, exactly as the prompt holds it. */
  readonly tools: readonly string[];
  readonly toolChoice: TraceToolChoice;
  /** Whether one answer may have several tool calls. */
  readonly parallelToolCalls: boolean;
  /** The response format as JSON text; null if any text may answer. */
  readonly responseFormat: string | null;
  readonly sampling: SamplingSettings;
  readonly seed: number;
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** The most forward passes that the request may take. */
  readonly budget: number;
  readonly onModError: (typeof modErrorRules)[number];
  /** Null if the deadlines were not recorded, or if the request has no mods. */
  readonly deadlines: TraceDeadlines | null;
  readonly mods: readonly RecordedMod[];
  /** Null if the request began with its prompt. */
  readonly branch: TraceBranch | null;
  /** The maker's name, given when the run was shared. Nobody checks it. Absent if the maker gave none. */
  readonly maker?: string;
  /** Whether the model was asked to think before it answers. Absent if its chat template decided. */
  readonly thinking?: boolean;
  /** Absent if the output holds no reasoning: the model does not think, or the prompt already ended the reasoning. */
  readonly reasoning?: TraceReasoning;
}
