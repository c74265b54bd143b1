/** What one call of `decode()` needs to know, checked once at the door. */
import type { Message, ResponseFormat, SamplingSettings, TokenId, ToolDefinition } from "../sdk/request.ts";
import type { TraceModel } from "../trace/format.ts";

export interface DecodeRequest {
  readonly requestId: string;
  /** The prompt as the model sees it, chat template applied. At least one token. */
  readonly prompt: readonly TokenId[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly responseFormat: ResponseFormat | null;
  readonly sampling: SamplingSettings;
  /** Most tokens to emit. */
  readonly maxTokens: number;
  /** Texts that end the output; they are not part of it. */
  readonly stop: readonly string[];
  /** 32-bit. */
  readonly seed: number;
  /** Most forward passes; 4 × maxTokens + 64 unless given. */
  readonly budget?: number;
  readonly onModError: "stop" | "continue";
  /** For the trace: what was loaded, the mods' sources (same order as the hosts), and when. */
  readonly model: TraceModel;
  readonly modSources: readonly string[];
  readonly createdAt: number;
}
