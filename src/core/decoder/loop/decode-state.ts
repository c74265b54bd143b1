/**
 * The types of one request in the decode loop. `DecodePorts` are the parts that the caller lends: model, mods, clock.
 * `DecodeState` is what the loop changes. A `StepSource` supplies the steps: the model computes them, or another request's
 * trace has them. A step is one turn of the loop: logits, then a token, then the mods' replies.
 *
 * Example: prompt "abcd", one token per letter; the model continues the alphabet, and a mod forces "!" after "g". The state
 * each time that the loop asks the source for the next step, without speculative passes:
 *   output.sequence   counts: steps passes changes   kvCache.length   logits.current
 *   abcd                      0     0      0         0                null
 *   abcde                     1     1      0         4                the logits after "abcd"
 *   abcdef                    2     2      0         5                the logits after "abcde"
 *   abcdefg!                  3     3      1         6                the logits after "abcdef"
 *   abcdefg!"                 4     4      1         8                the logits after "abcdefg!"
 * The KV cache lacks the tokens that the loop added since the last pass: the fourth line lacks "g" and "!", so the next pass
 * reads both and returns two rows. A forced token needs no step, so "g!" is one step.
 */
import type { Action } from "../../sdk/action.ts";
import type { EventType } from "../../sdk/event.ts";
import type { Message, TokenId } from "../../sdk/request.ts";
import type { ScoreContinuations } from "../../sdk/score-arguments.ts";
import type { Tokenizer } from "../../sdk/tokenizer.ts";
import type { LayerSizes } from "../../sdk/wire-event.ts";
import type { ModCallRecord, SampledRecord, TraceHealed, TraceRecord } from "../../trace/format/format.ts";
import type { ModVectors } from "../activations/mod-vectors.ts";
import type { CacheKey } from "../kv-cache/cache-key.ts";
import type {
  CacheSnapshot,
  Clock,
  FillCache,
  PassGuesses,
  PassResult,
  PrefillOptions,
} from "../kv-cache/forward-pass.ts";
import type { PassActivations } from "../kv-cache/pass-activations.ts";
import type { PromptLookup } from "../kv-cache/prompt-lookup.ts";
import type { Change, RequestEnding } from "../ports/change.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { EditableLogits, LogitsFactory, ModelLogits } from "../ports/logits.ts";
import type { LoopEvent, ModFault, ModHost, ModReply, StepActivations } from "../ports/mod-host.ts";
import type { PromptMaker } from "../ports/prompt-maker.ts";
import type { DecodeRequest } from "../ports/request.ts";
import type { ForwardError } from "../ports/request-error.ts";
import type { SeededDraws } from "./draws.ts";
import type { EventDispatch } from "./event-dispatch.ts";
import type { IdleStreak } from "./idle-streak.ts";
import type { Limits } from "./limits.ts";
import type { StepLogits } from "./logits-of-step.ts";
import type { Output } from "./output.ts";
import type { PausePorts } from "./pause-point.ts";
import type { RecordedVectors } from "./recorded-vectors.ts";
import type { Recorder } from "./recorder.ts";
import type { ServerDraws } from "./server-draws.ts";
import type { TopTokenStreak } from "./top-token-guess.ts";

/** The KV cache as a request uses it. `KvCache` implements this interface and describes the methods. */
export interface RequestKvCache {
  readonly model: LanguageModel;
  readonly activations: PassActivations | null;
  readonly length: number;
  readonly passCount: number;
  readonly hasFailed: boolean;
  readonly returnsLastLogitsOnly: boolean;
  leaveLogitsOnDevice(temperature: number | null): void;
  listAtLeast(count: number): void;
  endPassesWith(signal: AbortSignal | undefined): void;
  rest(): void;
  resume(tokens: readonly CacheKey[]): Promise<void>;
  prefill(tokens: readonly CacheKey[], options: PrefillOptions): Promise<PassResult>;
  forward(tokens: readonly CacheKey[], now: Clock, rows?: number, guesses?: PassGuesses): Promise<PassResult>;
  remember(): CacheSnapshot;
  truncate(length: number): void;
  sharedLength(tokens: readonly CacheKey[]): number;
  logitsAfter(length: number): ModelLogits | undefined;
  hasLogitsAfterPrompt(length: number): boolean;
  fail(message: string, cause?: unknown): ForwardError;
  failureOf(error: unknown): unknown;
}

/** The activations of a request as the loop uses them. `RequestActivations` implements and describes the methods. */
export interface ActivationsOfRequest {
  readonly sizes: LayerSizes;
  readonly isSteering: boolean;
  readonly present: Pick<ModVectors, "drop">;
  readonly past: Pick<ModVectors, "set" | "patch" | "drop">;
  readonly text: {
    truncate(length: number): void;
    settledKeys(tokens: readonly TokenId[], read: FillCache): Promise<readonly CacheKey[]>;
    pass(tokens: readonly TokenId[], first: FillCache, again: FillCache): Promise<PassResult>;
  };
  take(action: Action, mod: number, event: EventType): void;
  extend(length: number): void;
  extendWithin(length: number): void;
  read(): Promise<StepActivations>;
  beginPast(): void;
  endPast(): void;
  takeRestored(): ModVectors["entries"];
}

/** The parts that `decode()` works with. The caller made them and disposes of them. */
export interface DecodePorts extends PausePorts {
  /** The loaded model with its KV cache. One request at a time; the next one reuses the prefix that it shares. */
  readonly kvCache: RequestKvCache;
  readonly tokenizer: Tokenizer;
  /** Renders messages that mods changed; absent if no mod can give messages. */
  readonly prompts?: PromptMaker | undefined;
  /** In the order in which they are asked. A mod at fault is disposed of by the loop. */
  readonly mods: readonly ModHost[];
  /** Called with each record of the trace as it happens. */
  readonly record: (record: TraceRecord) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Milliseconds for which `pausePoint` paused the request. The times in the trace leave them out. */
  readonly pausedMs?: (() => number) | undefined;
  /** Called while mods catch up with the events before a branch: the share of these events that they have got, from 0 to 1. */
  readonly onCatchUp?: ((share: number) => void) | undefined;
  /** Whether the next pass always waits until the mods have replied to `added`. Tokens and trace are the same either way. */
  readonly waitsForAdded?: boolean | undefined;
  /**
   * Whether passes also read draft tokens (prompt-lookup.ts). Only a model with a `passCost` does so; by default, only if that
   * cost was measured. The tokens are the same either way; the trace differs only in its passes.
   */
  readonly promptLookup?: boolean | undefined;
}

/** A forward pass that begins before the loop knows whether it needs the pass (speculative-pass.ts). */
export interface SpeculativePass {
  /** The number of tokens before the pass. */
  readonly known: number;
  /** Null while the pass runs. `row`: the last logits of the pass. */
  readonly result:
    | { readonly passResult: PassResult; readonly editableLogits: EditableLogits }
    | { readonly error: unknown }
    | null;
  /** 0 while it runs. */
  readonly elapsedMs: number;
  /** A snapshot of the KV cache before the pass. */
  readonly remembered: CacheSnapshot;
}

/** A mod of the request; `isStopped` once it was at fault. */
export interface RunningMod {
  readonly index: number;
  readonly host: ModHost;
  isStopped: boolean;
  readonly idleStreak: IdleStreak;
  /** The fault that is recorded as the mod's reply to its first event, if the model lacks layers that the mod declares; else null. */
  readonly refusal: ModFault | null;
}

/** How a request begins. */
export type RequestStart =
  /** The mods are asked about the prompt. */
  | { readonly type: "prompt" }
  /** Everything up to here is known. The mods are asked about the event, which happened last. */
  | { readonly type: "event"; readonly event: EventDispatch }
  /** Everything up to here is known, and a step comes next. */
  | { readonly type: "step" }
  | { readonly type: "end"; readonly change: Change };

/** The step that comes next. */
export type NextStep =
  /** The step was recorded, logits included: the model computes nothing. */
  { readonly type: "recorded"; readonly logits: StepLogits } | PlannedPass;

/** The model computes the step. */
export interface PlannedPass {
  readonly type: "compute";
  /** Whether the step counts as a pass of the model; null: it counts if the model runs a pass for it now. */
  readonly countsAsPass: boolean | null;
  /** Forced tokens with a lower index are not scored: their scores are in the trace already. */
  readonly scoredFrom: number;
  /** The token to take at this step; null to let the sampler choose. */
  readonly token: TokenId | null;
}

/**
 * Where the steps of a request come from. Live steps (`live-steps.ts`) are computed, and the sampler chooses. Recorded steps
 * (`recorded-steps.ts`) come from the trace of another request up to the place where this one branches off; from there on
 * they are live. The loop asks, and never knows which of the two it has.
 */
export interface StepSource {
  /**
   * Called once, before everything else. Returns the ports that the loop works with: recorded steps put the records of the
   * other request in the place of those that the loop writes, and stop the clock.
   * @throws RangeError when the mods cannot take part in what was recorded
   */
  connect(ports: DecodePorts, request: DecodeRequest): DecodePorts;
  /** The next step comes from the trace and is only replayed: the request cannot pause there, and the KV cache is not used. */
  readonly isPast: boolean;
  /** The steps to come leave the KV cache alone, although tokens are added and removed. */
  readonly leavesCacheAlone: boolean;
  /** The recorded steps have steering vectors: activations are on even if no mod of this request asks for them. */
  readonly hasSteering: boolean;
  /** Top-k tokens in the records that are taken over. The trace has a limit for these tokens. */
  readonly recordedTopK: number;
  /** Writes the request's own record, unless that has to wait. Returns how the request begins. @throws ForwardError */
  start(state: DecodeState): Promise<RequestStart>;
  /** The reply of a mod to an event. The mod may have been asked ahead of time. */
  ask(mod: RunningMod, event: LoopEvent, score: ScoreContinuations): Promise<ModReply>;
  /** The step that comes next. @throws ForwardError */
  nextStep(state: DecodeState): Promise<NextStep>;
  /** The recorded reply of a mod to this event; null if this is not a replay. */
  recordedCall(mod: RunningMod, event: EventType): ModCallRecord | null;
  /** The recorded request went on here. The present one goes on too, although its limits and stop sequences may be others. */
  readonly isKnownToContinue: boolean;
  /** The token that was chosen at the current step; null to let the sampler choose. */
  nextChoice(): SampledRecord | null;
  /** The recorded healing at the current step; null if the tokens stayed. */
  nextHealing(): TraceHealed | null;
  /**
   * At a recorded step, the token that the sampler would have chosen in place of the forced tokens; null if the trace
   * does not say.
   */
  readonly counterfactualToken: TokenId | null;
  /** The forced tokens that become part of the output. */
  tokensToPreserve(tokens: readonly TokenId[]): readonly TokenId[];
  /** Whether changes that mods ask for at this event are overruled, because a token is taken by hand. */
  readonly overrules: boolean;
  /** Whether the edit of this mod left nothing to sample when it was recorded. */
  failsEdit(mod: number): boolean;
  /** Call this after the last step. A branch that ends at its first place of its own, for example at its limit, is past its origin's records. */
  endSteps(): void;
  /** Call this if the loop failed: further records are written without a comparison with the trace. */
  stop(): void;
  /**
   * The ending of the request: `ending`, or an ending that says how the request differs from the trace. No mod is asked ahead
   * afterwards.
   */
  checkedEnding(ending: RequestEnding): RequestEnding;
}

export interface WorkCounts {
  /** Steps begun. */
  steps: number;
  /**
   * Steps that ran the model, or would have run it without prompt lookup: the budget ends a request at the same token with and
   * without prompt lookup. A prompt counts as one, however many of its tokens were in the cache.
   */
  passes: number;
  /** Times that a mod forced tokens or went back. */
  changes: number;
}

export interface RequestMetrics {
  /** `kvCache.passCount` before the request. */
  readonly passCountBefore: number;
  /** Tokens of the prompt that were in the cache. */
  reusedTokens: number;
  prefillMs: number;
  /** When the prompt was computed. */
  decodeStartMs: number;
}

/** The logits that can be read without another pass of the model. */
export interface LogitsAtHand {
  /** Computed last; null once the output no longer begins with the tokens that they follow. */
  current: StepLogits | null;
  /**
   * All rows of the last pass; the last row follows the whole sequence. The rows are there until the next pass, or until tokens
   * are removed.
   */
  rows: readonly ModelLogits[];
  /** The logits before the healable end of the text, for a model that gives the logits of the last position only; else null. */
  beforeHealableEnd: {
    readonly tokens: number;
    readonly row: ModelLogits;
    /** Keeps the row while later passes run. */
    readonly snapshot: CacheSnapshot;
  } | null;
  /** The sampler's choice at a step whose logits are not at hand; null if there is no such step. */
  knownChoice: { readonly step: number; readonly token: TokenId } | null;
  readonly factory: LogitsFactory;
  /** How many of the most likely tokens the mods read, as far as the trace keeps them. */
  readonly topKRead: number;
}

/** The scores that mods asked for (score-continuations.ts). */
export interface ContinuationScoring {
  /** Settles when the last call is answered. */
  last: Promise<unknown>;
  /** Passes of the model that scoring has taken in this request. */
  passes: number;
  /** The model gives one row of logits for each pass. */
  returnsLastLogitsOnly: boolean;
}

/** Work on tokens that are not certain yet. */
export interface Speculation {
  /** Settles when no speculative pass runs. */
  running: Promise<void>;
  /** The pass that runs while the mods are asked about the last token. */
  pass: SpeculativePass | null;
  /** Null until the first pass that may read draft tokens. */
  promptLookup: PromptLookup | null;
  readonly topTokenGuess: TopTokenStreak;
}

export interface DecodeState {
  readonly request: DecodeRequest;
  readonly ports: DecodePorts;
  readonly source: StepSource;
  readonly recorder: Recorder;
  /** Milliseconds of the request: those of `ports.now` without pauses. */
  readonly now: () => number;
  /** Null if no mod reads or changes activations. */
  readonly activations: ActivationsOfRequest | null;
  readonly vectors: RecordedVectors;
  readonly mods: readonly RunningMod[];
  output: Output;
  /** The messages of the prompt as the mods left them; null once a mod replaced the prompt by tokens or a text. */
  messages: readonly Message[] | null;
  readonly draws: SeededDraws;
  readonly serverDraws: ServerDraws;
  readonly limits: Limits;
  readonly counts: WorkCounts;
  readonly metrics: RequestMetrics;
  readonly logits: LogitsAtHand;
  /** The end of a text that was taken back, while the next token has to begin with it; null otherwise. */
  healed: TraceHealed | null;
  readonly speculation: Speculation;
  readonly scoring: ContinuationScoring;
}

/** Counts a step. `countsAsPass`: the model computed the step, now or when the step was recorded. */
export function beginStep({ counts, output }: DecodeState, countsAsPass: boolean): void {
  if (counts.steps === 0 || countsAsPass || !output.hasStepLogits) counts.passes += 1;
  counts.steps += 1;
  output.beginStep();
}
