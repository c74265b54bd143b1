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
  /** The text of the messages is the prompt as it is, also where the model has a chat template. */
  readonly rawPrompt?: boolean;
  /** Names of special tokens in the messages are read as special tokens; they are text unless this is true. */
  readonly parseSpecial?: boolean;
  /** false: a text before the model's own tokens keeps its own tokens, even where it ends within a word (no token healing). */
  readonly heal?: boolean;
  /** Whether the model is to think before it answers; as its chat template has it unless given. Refused where it has no switch for it. */
  readonly thinking?: boolean;
  readonly tools?: readonly ToolDefinition[];
  /** "auto" unless given. */
  readonly toolChoice?: ToolChoice;
  /** May an answer have several calls? Unless given, yes, but not where `toolChoice` is "required". */
  readonly parallelToolCalls?: boolean;
  readonly responseFormat?: ResponseFormat | null;
  readonly sampling: SamplingSettings;
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly seed: number;
  readonly onModError: "stop" | "continue";
  /** The most forward passes that the request may take; `defaultBudget(maxTokens)` unless given. */
  readonly budget?: number;
  /**
   * Whether passes read along what followed the same tokens before (decoder/kv-cache/prompt-lookup.ts), where the model's graph allows it. Unless
   * given they do on WebAssembly alone: on WebGPU nobody has measured what it gains, and in float16 a pass of several tokens may
   * prefer another token than passes of one.
   */
  readonly drafts?: boolean;
  /** Milliseconds that each mod may take; the defaults are in `sandbox/deadlines.ts`. */
  readonly deadlines?: Partial<Deadlines>;
  readonly mods: readonly RequestMod[];
  /** Where the request branches off another one that was made with the same fields, its mods perhaps aside; it begins with its prompt unless given. */
  readonly branchPoint?: BranchPoint;
}

export interface RequestMod {
  readonly name: string;
  readonly source: string;
  /** Name of the export to run; the default export unless given. */
  readonly entry?: string;
}

/** A recorded request whose mods are to be asked again, without its model. */
export interface VerifyRequest {
  readonly requestId: string;
  /** All records of it. */
  readonly records: readonly TraceRecord[];
  /** In place of the recorded ones that users wrote, as many and in their order. */
  readonly mods: readonly RequestMod[];
  readonly deadlines?: Partial<Deadlines>;
  /** Whose tokenizer and chat template are read; its weights are not. */
  readonly model: ModelReference;
}

/** A token of a prompt that is shown. */
export interface PromptToken {
  readonly token: number;
  /** The name of a special token. */
  readonly text: string;
  /** Present at special tokens: a text may have the same characters. */
  readonly isSpecial?: true;
}

/** The fields from which the prompt is made. */
export type PromptRequest = Pick<
  RunRequest,
  "messages" | "rawPrompt" | "parseSpecial" | "thinking" | "tools" | "toolChoice"
>;
