/** What the loop remembers of one request. */
import type { TokenId } from "../sdk/request.ts";
import type { Tokenizer } from "../sdk/tokenizer.ts";
import type { FinishedRecord, TraceRecord } from "../trace/format.ts";
import type { Advance, Remembered } from "./advance.ts";
import type { BranchPoint } from "./branch-point.ts";
import type { DeviceWorkspace } from "./device-step-row.ts";
import type { Drafts } from "./drafts.ts";
import { Draws } from "./draws.ts";
import type { KvCache } from "./kv-cache.ts";
import { LikeliestTaken } from "./likeliest-taken.ts";
import type { StepRow } from "./logits-row.ts";
import type { LoopEvent, ModFault, ModHost, ModReply, StepInside } from "./mod-host.ts";
import { layersFault, needsLayers } from "./needs-layers.ts";
import { Output } from "./output.ts";
import { likeliestRead, type RecordedStep, readsAllLogits } from "./recorded-logits.ts";
import { RecordedVectors } from "./recorded-vectors.ts";
import { Recorder } from "./recorder.ts";
import { Replay } from "./replay.ts";
import { checkRequest, type DecodeRequest, defaultBudget } from "./request.ts";
import { RequestInside } from "./request-inside.ts";
import { createSampler } from "./sampler.ts";
import { createSilence, type Silence } from "./silence.ts";

/** What `decode()` works with. All of it is lent: the caller made it and disposes of it. */
export interface DecodePorts {
  /** The loaded model with its KV cache. One request at a time; the next one reuses the prefix that it shares. */
  readonly kvCache: KvCache;
  readonly tokenizer: Tokenizer;
  /** In the order in which they are asked. A mod at fault is disposed of by the loop. */
  readonly mods: readonly ModHost[];
  /** Called with each record of the trace as it happens. */
  readonly record: (record: TraceRecord) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Ends the request with the reason `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Asked before each step, before each pass of a prompt, and where something was written down (`hold.ts`): pause, single
   * step, or a turn for the event loop. The loop waits for what it gives; null lets it go on at once.
   */
  readonly gate?: ((at: "step" | "pass" | "event") => Promise<void> | null) | undefined;
  /** Milliseconds for which `gate` held the request: the times in the trace go on as if it had not. */
  readonly heldMs?: (() => number) | undefined;
  /** Called while mods are told of what was before a branch: the share of it that they know, from 0 to 1. */
  readonly onTold?: ((share: number) => void) | undefined;
  /** The next pass always waits for what the mods answer to `added`. Tokens and trace are the same either way. */
  readonly waitsForAdded?: boolean | undefined;
  /**
   * Whether passes read drafts along (drafts.ts), where the model's `passCost` says what one costs; unless given where that was
   * measured. Tokens and trace are the same either way, but for the passes.
   */
  readonly drafts?: boolean | undefined;
}

/** The logits for the next token, and what the mods made of them. */
export interface StepLogits {
  /** How many emitted tokens the logits follow. */
  readonly step: number;
  readonly row: StepRow;
  /** The temperature that a mod set for this step alone; null for the request's own. */
  temperature: number | null;
  /** Index of the mod that wants the token of this step hidden; null while none does. */
  hiddenBy: number | null;
  /** What the record says of the step, of which `row` has nothing: edits of it cannot be worked out, and need not be. Null where the model computed it. */
  readonly recorded: RecordedStep | null;
  /** What the mods read of the inside of its pass; null where they read nothing, and where it is replayed from the record. */
  readonly inside: StepInside | null;
  /** The token that is taken at this step whatever the sampler would choose; null where the sampler chooses. */
  readonly given: TokenId | null;
  /** The step's draw, uniform in [0, 1); null until a token is chosen with it. */
  draw: number | null;
}

/** The logits of a step that no mod has changed. */
export function createStepLogits(
  step: number,
  row: StepRow,
  about: Partial<Pick<StepLogits, "recorded" | "given" | "inside">> = {},
): StepLogits {
  const none = { recorded: null, given: null, inside: null };
  return { step, row, temperature: null, hiddenBy: null, draw: null, ...none, ...about };
}

/** A forward pass that runs, or ran, before it is known whether it is wanted (pass-ahead.ts). */
export interface PassAhead {
  /** It began after so many tokens. */
  readonly known: number;
  /** Null while it runs. `row`: the last one that it gave. */
  readonly result: { readonly advance: Advance; readonly row: StepRow } | { readonly error: unknown } | null;
  /** 0 while it runs. */
  readonly elapsedMs: number;
  /** What the KV cache was before the pass. */
  readonly remembered: Remembered;
}

/** Questions about what is recorded, which are put to the mods before the loop comes to them (ask-ahead.ts). */
export interface AskedAhead {
  /** The mod's answer to the event that the loop has come to. @throws ReplayError when it is another event than the record has. */
  answerOf(mod: RunningMod, event: LoopEvent): Promise<ModReply>;
  /** Stops the mods that were told of more than happened. */
  end(): void;
}

/** A mod of the request; `isStopped` once it was at fault. */
export interface RunningMod {
  readonly index: number;
  readonly host: ModHost;
  isStopped: boolean;
  readonly silence: Silence;
  /** Why it cannot take part, which is its answer to the first event; else null. */
  readonly refusal: ModFault | null;
}

export interface DecodeState {
  readonly request: DecodeRequest;
  readonly ports: DecodePorts;
  readonly recorder: Recorder;
  /** Milliseconds of the request: those of `ports.now`, without the ones for which it was held. */
  readonly now: () => number;
  readonly workspace: DeviceWorkspace;
  /** Null where no mod has to do with layers: nothing of it costs anything then. */
  readonly inside: RequestInside | null;
  readonly vectors: RecordedVectors;
  readonly mods: readonly RunningMod[];
  output: Output;
  /** Most tokens to emit that are not hidden, and who says so. */
  limit: number;
  limitedBy: NonNullable<FinishedRecord["lengthLimit"]>;
  /** Most passes, and most changes by mods. */
  budget: number;
  readonly draws: Draws;
  /** Steps begun. */
  steps: number;
  /**
   * Steps that ran the model, or would have without drafts: a draft ends no request later. A prompt counts as one, however
   * many of its tokens were in the cache.
   */
  passes: number;
  /** Null where none are made, and until the first is asked for. */
  drafts: Drafts | null;
  readonly likeliestTaken: LikeliestTaken;
  /** Times that a mod forced tokens or went back. */
  changes: number;
  /** What `kvCache.passCount` was before the request. */
  readonly passCountBefore: number;
  /** Tokens of the prompt that were in the cache. */
  reusedTokens: number;
  prefillMs: number;
  /** When the prompt was computed. */
  decodeStartMs: number;
  /** The logits that were computed last; null when the output no longer begins with the tokens that they follow. */
  stepLogits: StepLogits | null;
  /** What was taken at the last pass of which the mods were told, whose logits are not there; null once another pass is made. */
  toldChoice: { readonly step: number; readonly token: TokenId } | null;
  passAhead: PassAhead | null;
  /** How many of the likeliest tokens the mods read, as far as the trace keeps them. */
  readonly likeliestRead: number;
  /** Walks through another request's records up to where this one branches off; null where it begins at its prompt. */
  readonly replay: Replay | null;
  /** Null where nothing can be asked ahead. */
  askedAhead: AskedAhead | null;
}

/** @throws RangeError when the request is not one that can be decoded: a bug of the caller. */
export function createDecodeState(
  request: DecodeRequest,
  lent: DecodePorts,
  origin: BranchPoint | Replay | undefined,
): DecodeState {
  const { modSources } = request;
  const replay = origin && (origin instanceof Replay ? origin : new Replay(origin, { ...lent, modSources }));
  const ports = replay ? { ...lent, record: replay.record, now: replay.now } : lent;
  const now = () => ports.now() - (replay?.isActive ? 0 : (ports.heldMs?.() ?? 0));
  const { model } = ports.kvCache;
  checkRequest(request, model.vocabularySize, ports.mods.length);
  ports.kvCache.leaveRows(readsAllLogits(ports.mods) ? null : request.sampling.temperature || 1);
  const state: DecodeState = {
    request,
    ports,
    recorder: new Recorder(request, { ...ports, now }, replay?.likeliestCount ?? 0),
    now,
    workspace: { sampler: createSampler(model.vocabularySize), editBuffers: [], editedRows: [] },
    inside: insideOf(ports, replay),
    vectors: new RecordedVectors(),
    mods: ports.mods.map((host, index) => runningMod(host, index, ports.kvCache)),
    output: new Output(request.prompt, ports.tokenizer),
    limit: request.maxTokens,
    limitedBy: "maxTokens",
    budget: request.budget ?? defaultBudget(request.maxTokens),
    draws: new Draws(request.seed),
    steps: 0,
    passes: 0,
    drafts: null,
    likeliestTaken: new LikeliestTaken(),
    changes: 0,
    passCountBefore: ports.kvCache.passCount,
    reusedTokens: 0,
    prefillMs: 0,
    decodeStartMs: now(),
    stepLogits: null,
    toldChoice: null,
    passAhead: null,
    likeliestRead: likeliestRead(ports.mods),
    replay: replay ?? null,
    askedAhead: null,
  };
  // Of a branch whose mods are told what was before, more is known once they were.
  if (!replay?.told) state.recorder.request(state.budget, replay?.branch ?? null);
  return state;
}

function runningMod(host: ModHost, index: number, { inside }: KvCache): RunningMod {
  const refusal = layersFault(host, inside?.sizes ?? null);
  return { host, index, isStopped: false, silence: createSilence(), refusal };
}

function insideOf({ kvCache, mods }: DecodePorts, replay: Replay | undefined): RequestInside | null {
  const { inside } = kvCache;
  if (!inside) return null;
  inside.keep([]);
  if (!needsLayers(mods, replay?.point)) return null;
  // For one that cannot take part nothing is read.
  const able = mods.filter((host) => layersFault(host, inside.sizes) === null);
  return new RequestInside(kvCache, inside, able, (replay?.told ?? 0) > 0);
}

/** Counts a step. `hasPass`: the model computed, or did when it was recorded. */
export function beginStep(state: DecodeState, hasPass: boolean): void {
  if (state.steps === 0 || hasPass || !state.output.hasStepLogits) state.passes += 1;
  state.steps += 1;
  state.output.beginStep();
}

/** Most tokens of output that the model's context holds beside the prompt, hidden ones included. The last token is never computed, so a full context still leaves room for one. */
export function outputCapacity({ ports, output }: DecodeState): number {
  return ports.kvCache.model.capacity - output.promptLength + 1;
}
