/**
 * Messages between the engine's worker and the guest that runs a mod, over one port. Plain data both ways. `run` is a
 * number that the engine drew for this guest, and `sequence` counts questions from 1: a reply repeats both. Messages
 * of the engine are trusted; messages of the guest are not, and go through parse-reply.ts.
 */
import type { TransferredPort } from "../../core/base/transferred.ts";
import type { Action, ActionType } from "../../core/sdk/action.ts";
import type { ModNeeds } from "../../core/sdk/mod.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type { WireEvent } from "../../core/sdk/wire-event.ts";

/** The engine's ends of the two ports to a sandbox. Both are transferable. */
export interface SandboxPorts {
  /** To the guest: the messages below. */
  readonly port: TransferredPort;
  /** To the guest's frame, which sends back whatever comes: see frame-pings.ts. */
  readonly pingPort: TransferredPort;
}

/** A tokenizer's files as one text, and a name that is different for different texts. */
export interface TokenizerText {
  readonly key: string;
  /** JSON of a TokenizerData. */
  readonly json: string;
}

/** Indexes of the vocabulary that a mod needs. They are built while the mod loads, not within an event's deadline. */
export interface VocabularyNeeds {
  /** The source imports strategies or flows: a tree of all tokens, for masks. */
  readonly strategies: boolean;
  /** The source names `ban`: an index of all tokens, for texts. */
  readonly bans: boolean;
}

/** The parts of events that a mod's source reads beyond its declaration, found when it is compiled. */
export interface SourceReads extends VocabularyNeeds {
  readonly logits: boolean;
  /** Whether the source names `topK`. If not, no alternatives are sent. */
  readonly topK: boolean;
  /** Whether the source names `hiddenState`. If not, no hidden states are sent. */
  readonly hiddenState: boolean;
  readonly conversation: boolean;
  /** Whether the source names `output`. If not, the output is not sent. */
  readonly output: boolean;
}

/** A 1-based place; a guest speaks of compiled text, everyone else of the editor's text. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

export type EngineToGuest =
  /** Builds the tokenizer now, and what masks need of it, so that `init` need not wait for it. */
  | { readonly type: "prepare"; readonly tokenizer: TokenizerText; readonly needs: VocabularyNeeds }
  | {
      readonly type: "init";
      readonly run: number;
      /** 32-bit. */
      readonly seed: number;
      readonly tokenizerKey: string;
      /** Name of the export to run; the default export when null. */
      readonly entry: string | null;
      readonly reads: SourceReads;
    }
  /** The answer to `score`; `error` says why there are no numbers. */
  | {
      readonly type: "scores";
      readonly run: number;
      readonly sequence: number;
      readonly logprobs: readonly number[];
      readonly error: string | null;
    }
  /** To be answered one after the other. `sequence`: of the first. */
  | {
      readonly type: "events";
      readonly run: number;
      readonly sequence: number;
      readonly events: readonly WireEvent[];
    };

/** An action on the wire: the SDK's fields, but for those of `WireFields`. A field that is added to an action travels too. */
export type WireAction = {
  readonly [Type in ActionType]: Type extends keyof WireFields
    ? { readonly type: Type } & Omit<Extract<Action, { type: Type }>, "logits" | "calls" | "type"> &
        WireFields[Type]
    : Extract<Action, { type: Type }>;
}[ActionType];

/** Fields that replace fields of the SDK in a message: `edit` for `logits`, flat calls for `calls`. */
interface WireFields {
  readonly adjustLogits: { readonly edit: WireEdit };
  readonly toolCalls: { readonly calls: readonly WireToolCall[] };
}

export interface WireToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** How logits change: whole `(vocabulary)`; only the entries that differ from what was sent; or by a rule. */
export type WireEdit =
  | { readonly kind: "whole"; readonly logits: Float32Array }
  | { readonly kind: "entries"; readonly tokens: Int32Array; readonly logits: Float32Array }
  | {
      readonly kind: "rule";
      /** `(ceil(vocabulary / 32))` words: a bit for each token that is kept. */
      readonly mask: Uint32Array | null;
      readonly ban: Int32Array | null;
      readonly only: Int32Array | null;
      readonly addTokens: Int32Array | null;
      readonly addAmounts: Float64Array | null;
    };

export interface WireConsoleLine {
  readonly level: "debug" | "log" | "info" | "warn" | "error";
  readonly text: string;
}

export interface WireFault {
  readonly kind: "invalid-action" | "threw";
  readonly message: string;
  readonly stack: string;
  /** In the compiled text. */
  readonly position: SourcePosition | null;
}

export type GuestToEngine =
  | { readonly type: "needTokenizer"; readonly run: number }
  /** The tokenizer is built, and the mod's file loads from here on. */
  | { readonly type: "loading"; readonly run: number }
  | {
      readonly type: "ready";
      readonly run: number;
      readonly name: string;
      readonly handles: readonly string[];
      readonly needs: ModNeeds;
      readonly console: readonly WireConsoleLine[];
    }
  /** The mod's file did not load. */
  | {
      readonly type: "failed";
      readonly run: number;
      readonly fault: WireFault;
      readonly console: readonly WireConsoleLine[];
    }
  /** `event.score`, while the question of this number is answered. The next message is sent when `scores` has come. */
  | {
      readonly type: "score";
      readonly run: number;
      readonly sequence: number;
      readonly continuations: readonly (readonly TokenId[])[];
    }
  | {
      readonly type: "reply";
      readonly run: number;
      readonly sequence: number;
      readonly action: WireAction;
      readonly fault: WireFault | null;
      /** Where the action was built, in the compiled text. */
      readonly builtAt: SourcePosition | null;
      readonly console: readonly WireConsoleLine[];
    };

/** Caps on what one guest may send. Beyond them it is stopped. */
export const messageLimits = {
  /** Characters of console text per guest; the rest is dropped, and a line says so. */
  console: 65_536,
  consoleLines: 1_000,
  /** Tokens in one list that is emitted. */
  tokens: 65_536,
  /** Tokens of a prompt. */
  prompt: 1_048_576,
  /** Messages of a prompt, and the characters of all of them. */
  messages: 10_000,
  messageText: 8_388_608,
  toolCalls: 128,
  /** Characters of the arguments of all tool calls of one answer. */
  toolArguments: 1_048_576,
  name: 256,
  message: 16_384,
  stack: 16_384,
} as const;
