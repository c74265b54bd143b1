/** Requests of the page to the engine: runs, verifications and prompts. Plain data; parsed at the edge. */
import type { BranchPoint } from "../../../core/decoder/replay/branch-point.ts";
import type {
  Message,
  ResponseFormat,
  SamplingSettings,
  ToolChoice,
  ToolDefinition,
} from "../../../core/sdk/request.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { ModelReference } from "../../engine/base/model-reference.ts";
import type { Deadlines } from "../../sandbox/deadlines.ts";

export interface RunRequest {
  readonly requestId: string;
  /** A conversation, or plain text for models without a chat template. */
  readonly messages: readonly Message[];
  /** Whether the joined texts of the messages are the prompt, even if the model has a chat template. */
  readonly rawPrompt?: boolean;
  /** Whether names of special tokens in the messages become special tokens. By default they stay text. */
  readonly parseSpecial?: boolean;
  /** False to switch off token healing: the tokens of the prompt stay, even if the prompt ends within a word. */
  readonly heal?: boolean;
  /** Whether the model thinks before it answers. By default its chat template decides. Refused if the template has no switch. */
  readonly thinking?: boolean;
  readonly tools?: readonly ToolDefinition[];
  /** By default "auto". */
  readonly toolChoice?: ToolChoice;
  /** Whether an answer may have several calls. By default yes, except if `toolChoice` is "required". */
  readonly parallelToolCalls?: boolean;
  readonly responseFormat?: ResponseFormat | null;
  readonly sampling: SamplingSettings;
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly seed: number;
  /** True if nobody chose the seed: llama.cpp's server may then draw the tokens with its own random numbers, which is faster. */
  readonly hasRandomSeed?: boolean;
  readonly onModError: "stop" | "continue";
  /** The most forward passes of the request; by default `defaultBudget(maxTokens)`. */
  readonly budget?: number;
  /**
   * Whether prompt lookup adds draft tokens to passes (decoder/kv-cache/prompt-lookup.ts), if the model's graph supports
   * them. By default only on WebAssembly: on WebGPU the gain has not been measured, and in float16 a pass of several tokens
   * may prefer another token than passes of one token.
   */
  readonly promptLookup?: boolean;
  /** Milliseconds that each mod may take; the defaults are in `sandbox/deadlines.ts`. */
  readonly deadlines?: Partial<Deadlines>;
  readonly mods: readonly RequestMod[];
  /** The point at which the request continues another one. Its fields are those of the other request, but its mods may differ. By default the request begins with its prompt. */
  readonly branchPoint?: BranchPoint;
}

export interface RequestMod {
  readonly name: string;
  readonly source: string;
  /** Name of the export to run; by default the default export. */
  readonly entry?: string;
  readonly limits?: ModLimits;
}

/** The limits of one mod. */
export interface ModLimits {
  /** Milliseconds, in place of those of the request. */
  readonly deadlines?: Partial<Deadlines>;
  /** Bytes of the sandbox's memory, which also holds its program and the tokenizer. Only QuickJS limits the memory of a mod. */
  readonly memory?: number;
}

/** Runs the mods of a recorded request again, without its model. */
export interface VerifyRequest {
  readonly requestId: string;
  /** All records of the request. */
  readonly records: readonly TraceRecord[];
  /** These replace the recorded mods of users: the same number, in the same order. */
  readonly mods: readonly RequestMod[];
  readonly deadlines?: Partial<Deadlines>;
  /** The model whose tokenizer and chat template are read. Its weights are not read. */
  readonly model: ModelReference;
}

/** A token of a prompt that the page shows. */
export interface PromptToken {
  readonly token: number;
  /** The token's text; for a special token its name. */
  readonly text: string;
  /** Present for special tokens, because an ordinary text may have the same characters. */
  readonly isSpecial?: true;
}

/** The fields from which the prompt is made. */
export type PromptRequest = Pick<
  RunRequest,
  "messages" | "rawPrompt" | "parseSpecial" | "thinking" | "tools" | "toolChoice"
>;
