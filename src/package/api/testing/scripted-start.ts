/** Starts requests whose events are scripted. */

import type { FinishedRecord } from "../../../core/trace/format/format.ts";
import type {
  AnswerStreamEvent,
  StreamedCalls,
  StreamedToken,
} from "../../../core/trace/text/text-stream-events.ts";
import { recordedToolCalls } from "../../../core/trace/text/whole-calls.ts";
import type { RequestPlan, StartedRequest, StartRequest } from "../start-request.ts";

/** The script of a request: it sends the events in order, waits at "wait" until it is cancelled, and throws an Error. */
export type AnswerScript = readonly (AnswerStreamEvent | "wait" | Error)[];

export interface ScriptedStart {
  readonly start: StartRequest;
  readonly plans: readonly RequestPlan[];
  /** Ids of the requests that were cancelled before their end. */
  readonly cancelled: readonly string[];
}

/** The n-th request gets the n-th script; its id is `r1`, `r2` and so on. */
export function scriptedStart(scripts: readonly AnswerScript[], mods: readonly string[] = []): ScriptedStart {
  const plans: RequestPlan[] = [];
  const cancelled: string[] = [];
  const start: StartRequest = async (plan) => {
    const script = scripts[plans.length] ?? [];
    plans.push(plan);
    const id = `r${plans.length}`;
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const started: StartedRequest = {
      id,
      mods,
      createdAt: 1_700_000_000_123,
      promptField: plan.request.rawPrompt ? "prompt" : "messages",
      events: play(script, stopped),
      cancel() {
        cancelled.push(id);
        stop();
      },
    };
    return started;
  };
  return { start, plans, cancelled };
}

async function* play(script: AnswerScript, stop: Promise<void>): AsyncGenerator<AnswerStreamEvent> {
  const hasCalls = script.some((part) => typeof part === "object" && "type" in part && part.type === "call");
  for (const part of script) {
    if (part instanceof Error) throw part;
    if (part !== "wait" && part.type === "finished" && !hasCalls) yield* callsOf(part.calls);
    if (part !== "wait") yield part;
    else {
      await stop;
      yield finishedStreamEvent({ reason: "cancelled" });
    }
  }
}

/** The events for all calls, which a stream sends before it ends. */
function* callsOf({ list }: StreamedCalls): Generator<AnswerStreamEvent> {
  for (const [place, { id, name, arguments: text }] of list.entries()) {
    yield { type: "call", place, id, name };
    yield { type: "callArguments", place, text };
  }
}

export const finishedStreamEvent = (
  fields: Partial<FinishedRecord> = {},
  calls: StreamedCalls = recordedToolCalls({ toolCalls: fields.toolCalls ?? [] }),
): AnswerStreamEvent => ({
  type: "finished",
  calls,
  record: {
    type: "finished",
    timeUs: 0,
    step: 2,
    reason: "stop",
    lengthLimit: null,
    text: "",
    toolCalls: [],
    error: null,
    prefillUs: 0,
    decodeUs: 0,
    usage: { promptTokens: 5, completionTokens: 2, hiddenTokens: 1, reusedTokens: 3, forwardPasses: 4 },
    ...fields,
  },
});

/** A piece of text; by default of one token. */
export const textStreamEvent = (piece: string, tokens = [scriptedToken(piece)]): AnswerStreamEvent => ({
  type: "text",
  text: piece,
  tokens,
});

export const scriptedToken = (piece: string, fields: Partial<StreamedToken> = {}): StreamedToken => ({
  token: 1,
  text: piece,
  index: 0,
  source: "sampled",
  mod: null,
  logprob: -0.5,
  distribution: null,
  ...fields,
});
