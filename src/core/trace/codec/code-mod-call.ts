/** Writes and reads the calls of mods with their actions. Links hold the fields in this order. */
import type { EveryKey } from "../../base/every-key.ts";
import { actionTypes } from "../format/action-types.ts";
import * as format from "../format/format.ts";
import { traceMemoryBytes } from "../format/memory.ts";
import type { CodingContext } from "./code-context.ts";
import { codeLogitsEditDigest, codeModTopK, codeScores } from "./code-top-k.ts";
import { type Coder, codeDurationUs, codeOutputLength, codeText, codeToolCall } from "./code-values.ts";
import { codePatch, codeSteer } from "./code-vectors.ts";
import { type ColumnIo, codeFlag, codeList, codeNullable } from "./column-io.ts";

/**
 * The optional parts of a mod call besides its event, as bits of one number. Most calls have none of these parts, and the number
 * is zero.
 */
const callParts = {
  console: 1,
  fault: 2,
  line: 4,
  superseded: 8,
  action: 16,
  given: 256,
  scores: 512,
} as const;

function partsOf(call: format.ModCallRecord | undefined): number | undefined {
  return (
    call &&
    (call.console.length > 0 ? callParts.console : 0) +
      (call.fault ? callParts.fault : 0) +
      (call.line === null ? 0 : callParts.line) +
      (call.superseded ? callParts.superseded : 0) +
      (call.given ? callParts.given : 0) +
      (call.scores ? callParts.scores : 0) +
      callParts.action * actionTypes.indexOf(call.action.type)
  );
}

const noLines: format.ModCallRecord["console"] = [];

export const codeModCall: Coder<format.ModCallRecord> = (io, context, value) => {
  const parts = io.whole("events.calls", partsOf(value));
  const has = (part: number) => Math.floor(parts / part) % 2 === 1;
  const event = io.choice("events.calls", value?.event, format.eventTypes, context.lastEvent);
  const isNext = event === context.lastEvent;
  io.hold(isNext ? 0 : traceMemoryBytes.event + traceMemoryBytes.entry);
  const type = actionTypes[Math.floor((parts % callParts.given) / callParts.action)] ?? "noop";
  if (type !== "noop" || has(callParts.fault)) io.hold(traceMemoryBytes.action);
  const numbers = (each: number | undefined) => io.whole("events.numbers", each);
  const durationUs = codeDurationUs(io, value?.durationUs);
  const call: EveryKey<Omit<format.ModCallRecord, "scores">> = {
    type: "modCall",
    timeUs: io.whole("timings.times", value?.timeUs, context.timeUs + durationUs),
    step: codeOutputLength(io, context, value?.step),
    durationUs,
    mod: io.whole("events.calls", value?.mod, isNext ? context.lastMod + 1 : 0),
    event,
    action: action(io, context, type, value?.action),
    given: has(callParts.given) ? codeModTopK(io, context, value?.given ?? undefined, context.top) : null,
    superseded: has(callParts.superseded),
    console: has(callParts.console)
      ? codeList(io, "logs.numbers", value?.console, (each) => ({
          level: io.choice("logs.numbers", each?.level, format.consoleLevels),
          text: codeText(io, "logs", each?.text),
        }))
      : noLines,
    fault: has(callParts.fault) ? codeFault(io, value?.fault ?? undefined) : null,
    line: has(callParts.line) ? numbers(value?.line ?? undefined) : null,
  };
  return has(callParts.scores) ? { ...call, scores: codeScores(io, value?.scores) } : call;
};

function codeFault(io: ColumnIo, value: format.TraceFault | undefined): format.TraceFault {
  const numbers = (each: number | undefined) => io.whole("events.numbers", each);
  return {
    kind: io.choice("events.numbers", value?.kind, format.faultKinds),
    message: codeText(io, "events", value?.message),
    stack: codeNullable(io, "events.numbers", value?.stack, (each) => codeText(io, "events", each)),
    line: codeNullable(io, "events.numbers", value?.line, numbers),
    column: codeNullable(io, "events.numbers", value?.column, numbers),
  };
}

/** One object for all calls that did nothing. Most calls do nothing, and a run may have a million calls. */
const noop = { type: "noop" } as const;

type ActionOf<Type extends format.TraceAction["type"]> = Extract<format.TraceAction, { type: Type }>;

/** Writes or reads the fields of an action of the known type `type`. */
function action(
  io: ColumnIo,
  context: CodingContext,
  type: format.TraceAction["type"],
  value: format.TraceAction | undefined,
): format.TraceAction {
  const as = <Type extends format.TraceAction["type"]>(own: Type): ActionOf<Type> | undefined =>
    value?.type === own ? (value as ActionOf<Type>) : undefined;
  const count = (number: number | undefined) => io.whole("events.numbers", number);
  switch (type) {
    case "noop":
      return noop;
    case "adjustPrefill": {
      const own = as(type);
      const maxSteps = codeNullable(io, "events.numbers", own?.maxSteps, count);
      return { type, tokenCount: count(own?.tokenCount), maxSteps };
    }
    case "adjustLogits": {
      const own = as(type);
      return {
        type,
        ban: count(own?.ban),
        only: count(own?.only),
        add: count(own?.add),
        dense: codeFlag(io, "events.numbers", own?.dense),
        digest: codeLogitsEditDigest(io, own?.digest),
        temperature: codeNullable(io, "events.numbers", own?.temperature, (each) =>
          io.number("events.floats", each),
        ),
      };
    }
    case "forceTokens":
    case "forceOutput": {
      const { tokens, text, cut } = forced(io, context, as(type));
      return { type, tokens, text, cut };
    }
    case "backtrack": {
      const own = as(type);
      const removed = count(own?.count);
      const { tokens, text, cut } = forced(io, context, own);
      return { type, count: removed, tokens, text, cut };
    }
    case "toolCalls":
      return {
        type,
        calls: codeList(io, "events.numbers", as(type)?.calls, (each) => codeToolCall(io, each)),
      };
    case "error":
      return { type, message: codeText(io, "events", as(type)?.message) };
    case "steer":
      return codeSteer(io, context, as(type));
    case "patch":
      return codePatch(io, context, as(type));
  }
}

type Forced = Pick<ActionOf<"forceTokens">, "tokens" | "text" | "cut">;

function forced(io: ColumnIo, context: CodingContext, value: Forced | undefined): Forced {
  const own = codeText(io, "text", value?.text);
  const id = (each: number | undefined) => io.whole("tokenIds.ids", each, context.idOf.get(own) ?? -1);
  return {
    tokens: codeList(io, "events.numbers", value?.tokens, id),
    text: own,
    cut: io.whole("events.numbers", value?.cut),
  };
}
