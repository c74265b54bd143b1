/**
 * Messages between the engine's worker and the guest that runs a mod, over one port; plain data in both directions. `run` is a
 * number that the engine drew at random for this guest, and `sequence` counts questions from 1; a reply repeats both. The
 * engine's messages are trusted. The guest's messages are not: `parse-reply.ts` checks them.
 */
import type { TransferredPort } from "../../core/base/transferred.ts";
import type { Action, ActionType } from "../../core/sdk/action.ts";
import type { ModNeeds } from "../../core/sdk/mod.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type { WireEvent } from "../../core/sdk/wire-event.ts";

/** The engine's ends of the two ports to a sandbox. Both can be transferred. */
export interface SandboxPorts {
  /** Leads to the guest; carries the messages below. */
  readonly port: TransferredPort;
  /** Leads to the guest's frame, which returns every message: see frame-pings.ts. */
  readonly pingPort: TransferredPort;
}

/** The files of a tokenizer as one text, with a key that is different for different texts. */
export interface SerializedTokenizer {
  readonly key: string;
  /** JSON of a TokenizerData. */
  readonly json: string;
}

/** Indexes of the vocabulary that a mod needs. They are built while the mod loads, before any deadline of an event. */
export interface VocabularyNeeds {
  /** Whether the source imports strategies or flows, whose masks need a tree of all tokens. */
  readonly strategies: boolean;
  /** Whether the source names `ban`: texts to ban need an index of all tokens. */
  readonly bans: boolean;
}

/** The parts of events that a mod's source reads beyond its declaration; the compiler finds them. */
export interface SourceReads extends VocabularyNeeds {
  readonly logits: boolean;
  /** Whether the source names `topK`. If not, events carry no top-k tokens. */
  readonly topK: boolean;
  /** Whether the source names `hiddenState`. If not, events carry no hidden states. */
  readonly hiddenState: boolean;
  readonly conversation: boolean;
  /** Whether the source names `output`. If not, events do not carry the output. */
  readonly output: boolean;
}

/** A 1-based position: in a guest's messages, in the compiled text; everywhere else, in the editor's text. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

export type EngineToGuest =
  /** Builds the tokenizer and its indexes now, so that a later `init` finds them ready. */
  | { readonly type: "prepare"; readonly tokenizer: SerializedTokenizer; readonly needs: VocabularyNeeds }
  | {
      readonly type: "init";
      readonly run: number;
      /** 32 bits. */
      readonly seed: number;
      readonly tokenizerKey: string;
      /** Name of the export to run; null for the default export. */
      readonly entry: string | null;
      readonly reads: SourceReads;
    }
  /** The reply to `score`. `error`: why there are no scores. */
  | {
      readonly type: "scores";
      readonly run: number;
      readonly sequence: number;
      readonly logprobs: readonly number[];
      readonly error: string | null;
    }
  /** Events that the mod answers in order. `sequence`: the number of the first event; each `reply` has the number of its event. */
  | {
      readonly type: "events";
      readonly run: number;
      readonly sequence: number;
      readonly events: readonly WireEvent[];
    };

/**
 * An action in a message: the SDK's fields, except those that `WireFields` replaces. A new field of an action is sent without a
 * change here.
 */
export type WireAction = {
  readonly [Type in ActionType]: Type extends keyof WireFields
    ? { readonly type: Type } & Omit<Extract<Action, { type: Type }>, "logits" | "calls" | "type"> &
        WireFields[Type]
    : Extract<Action, { type: Type }>;
}[ActionType];

/** Fields that replace fields of the SDK in a message: `edit` replaces `logits`, and `calls` are flattened. */
interface WireFields {
  readonly adjustLogits: { readonly edit: WireLogitsEdit };
  readonly toolCalls: { readonly calls: readonly WireToolCall[] };
}

export interface WireToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * A change of the logits: all logits (`whole`), only the logits that differ from those in the event (`entries`), or instructions
 * (`rule`).
 */
export type WireLogitsEdit =
  | { readonly kind: "whole"; readonly logits: Float32Array }
  | { readonly kind: "entries"; readonly tokens: Int32Array; readonly logits: Float32Array }
  | {
      readonly kind: "rule";
      /** `ceil(vocabulary / 32)` words with one bit for each token; a token whose bit is 0 is removed. */
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
  /** A place in the compiled text. */
  readonly position: SourcePosition | null;
}

export type GuestToEngine =
  | { readonly type: "needTokenizer"; readonly run: number }
  /** The tokenizer is built; now the mod's file is loaded. */
  | { readonly type: "loading"; readonly run: number }
  | {
      readonly type: "ready";
      readonly run: number;
      readonly name: string;
      readonly handles: readonly string[];
      readonly needs: ModNeeds;
      readonly console: readonly WireConsoleLine[];
    }
  /** Loading the mod's file failed. */
  | {
      readonly type: "failed";
      readonly run: number;
      readonly fault: WireFault;
      readonly console: readonly WireConsoleLine[];
    }
  /**
   * A call of `event.score` while event number `sequence` is answered. The guest sends its next message only after it has
   * received `scores`.
   */
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
      /** The place in the compiled text where the action was created. */
      readonly builtAt: SourcePosition | null;
      readonly console: readonly WireConsoleLine[];
    };

/** Limits for the messages of one guest. A guest that exceeds a limit is stopped. */
export const messageLimits = {
  /** Characters of console output per guest; further output is dropped, and a line says so. */
  console: 65_536,
  consoleLines: 1_000,
  /** Tokens of one list in an action. */
  tokens: 65_536,
  /** Tokens of a prompt. */
  prompt: 1_048_576,
  /** Messages of a prompt, and characters of all of them together. */
  messages: 10_000,
  messageText: 8_388_608,
  toolCalls: 128,
  /** Characters of the arguments of all tool calls in one action. */
  toolArguments: 1_048_576,
  name: 256,
  message: 16_384,
  stack: 16_384,
} as const;
