/** Makes the state of a request that begins. */

import { type CutOffName, cutOffNames, hasBiasOrPenalty, samplingNumbers } from "../../base/sampling.ts";
import { layersFault, needsLayers } from "../activations/needs-layers.ts";
import { RequestActivations } from "../activations/request-activations.ts";
import { createLogitsFactory } from "../logits/logits-factory.ts";
import type { ServerDrawing } from "../ports/listed-logits.ts";
import type { ModHost } from "../ports/mod-host.ts";
import { largestNeededTopK, largestRecordableTopK, readsAllLogits } from "../ports/mod-needs.ts";
import { checkRequest, type DecodeRequest, defaultPassBudget } from "../ports/request.ts";
import type { DecodePorts, DecodeState, RunningMod, StepSource } from "./decode-state.ts";
import { SeededDraws } from "./draws.ts";
import { createIdleStreak } from "./idle-streak.ts";
import { checkModelSupports } from "./model-refusals.ts";
import { Output } from "./output.ts";
import { RecordedVectors } from "./recorded-vectors.ts";
import { Recorder } from "./recorder.ts";
import { ServerDraws } from "./server-draws.ts";
import { TopTokenStreak } from "./top-token-guess.ts";

/** @throws RangeError when the request cannot be decoded at all: a bug of the caller. */
export function createDecodeState(
  request: DecodeRequest,
  lent: DecodePorts,
  source: StepSource,
): DecodeState {
  const ports = source.connect(lent, request);
  const { kvCache, mods } = ports;
  const now = () => ports.now() - (ports.pausedMs?.() ?? 0);
  checkRequest(request, kvCache.model.vocabularySize, mods.length);
  checkModelSupports(kvCache.model, request, mods);
  kvCache.endPassesWith(ports.signal);
  kvCache.listAtLeast(largestNeededTopK(mods));
  kvCache.model.drawAhead?.(serverDrawingOf(request), request.hasRandomSeed === true);
  kvCache.leaveLogitsOnDevice(readsAllLogits(mods) ? null : request.sampling.temperature || 1);
  return {
    request,
    ports,
    source,
    now,
    recorder: new Recorder(request, { ...ports, now }, source.recordedTopK),
    activations: activationsOf(ports, source),
    vectors: new RecordedVectors(),
    mods: mods.map((host, index) => runningMod(host, index, kvCache)),
    output: new Output(request.prompt, ports.tokenizer, request.rawPrompt === true),
    messages: request.messages,
    draws: new SeededDraws(request.seed),
    serverDraws: new ServerDraws(kvCache.model),
    limits: {
      tokens: request.maxTokens,
      setBy: "maxTokens",
      budget: request.budget ?? defaultPassBudget(request.maxTokens),
    },
    counts: { steps: 0, passes: 0, changes: 0 },
    metrics: {
      passCountBefore: kvCache.passCount,
      reusedTokens: 0,
      prefillMs: 0,
      decodeStartMs: now(),
    },
    logits: {
      current: null,
      rows: [],
      beforeHealableEnd: null,
      knownChoice: null,
      factory: createLogitsFactory(kvCache.model.vocabularySize, kvCache),
      topKRead: largestRecordableTopK(mods),
    },
    healed: null,
    speculation: {
      running: Promise.resolve(),
      pass: null,
      promptLookup: null,
      topTokenGuess: new TopTokenStreak(),
    },
    scoring: { last: Promise.resolve(), passes: 0, returnsLastLogitsOnly: false },
  };
}

/**
 * Null at temperature 0, where nothing is drawn; with a bias or a penalty, which a server would count otherwise; and with a cut-off
 * that no server applies.
 */
function serverDrawingOf({ sampling, seed }: DecodeRequest): ServerDrawing | null {
  const { temperature, topK, topP, minP } = sampling;
  if (temperature === 0 || hasBiasOrPenalty(sampling)) return null;
  const drawing = { temperature, topK, topP, minP, seed };
  const isIgnored = (name: CutOffName) =>
    !(name in drawing) && sampling[name] !== samplingNumbers[name].neutral;
  return cutOffNames.some(isIgnored) ? null : drawing;
}

function runningMod(host: ModHost, index: number, { activations }: DecodePorts["kvCache"]): RunningMod {
  const refusal = layersFault(host, activations?.sizes ?? null);
  return { host, index, isStopped: false, idleStreak: createIdleStreak(), refusal };
}

function activationsOf({ kvCache, mods }: DecodePorts, source: StepSource): RequestActivations | null {
  const { activations } = kvCache;
  if (!activations) return null;
  activations.keep([]);
  if (!needsLayers(mods) && !source.hasSteering) return null;
  // A mod that cannot take part reads nothing.
  const able = mods.filter((host) => layersFault(host, activations.sizes) === null);
  return new RequestActivations(kvCache, activations, able);
}
