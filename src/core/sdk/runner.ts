/**
 * Runs one mod: plain events in, checked actions out. Needs nothing but the language's own built-ins, so
 * that the same code works inside the sandbox and in a test.
 */
import { describeValue } from "../base/show.ts";
import { type Action, InvalidActionError } from "./action.ts";
import { actionOriginOf, createActionBuilders } from "./actions.ts";
import { type EventType, eventTypes } from "./event.ts";
import { isMod, type Mod, type ModNeeds } from "./mod.ts";
import { OutputCopy } from "./output-so-far.ts";
import { toPublicEvent } from "./public-event.ts";
import { forgetRequest, hasDeclaredRequestStates, rememberRequest, withinRequest } from "./request-scope.ts";
import type { ScoreContinuations } from "./score-arguments.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { LayerSizes, WireEvent } from "./wire-event.ts";

export interface ModRunnerOptions {
  readonly tokenizer: Tokenizer;
  /** Name of the export to run; by default, the default export. */
  readonly entry?: string;
  /**
   * The parts of events that the source reads beyond the mod's declaration, as its compiler found. The default is top-k
   * tokens, hidden states and the conversation, but no logits.
   */
  readonly reads?: {
    readonly logits: boolean;
    readonly topK: boolean;
    readonly hiddenState: boolean;
    readonly conversation: boolean;
  };
}

/** A mod's reply to one event. */
export interface ModRunnerReply {
  readonly action: Action;
  /** An Error made where the action was built: its stack holds the author's line. Null for noop. */
  readonly builtAt: Error | null;
}

export interface ModRunner {
  readonly name: string;
  /**
   * The events to send: those that the mod handles, and those that the runner needs for `getConversation` (`prefilled`) and to
   * drop request state (`finished`).
   */
  readonly handles: readonly EventType[];
  readonly needs: ModNeeds;
  /**
   * Handles one event; a second call waits for the first. `score` asks the engine, for `event.score`. Rejects with the error
   * that the handler threw.
   * @throws InvalidActionError for an action that no builder made, or that was built at another event.
   */
  handle(event: WireEvent, score?: ScoreContinuations | null): Promise<ModRunnerReply>;
}

const readsAll = { logits: false, topK: true, hiddenState: true, conversation: true };

/** @throws TypeError if no export of that name is a mod; the message lists the exported mods. */
export function createModRunner(
  exports: Readonly<Record<string, unknown>>,
  { tokenizer, entry, reads = readsAll }: ModRunnerOptions,
): ModRunner {
  const mod = pickMod(exports, entry ?? "default");
  const handled = new Set<EventType>(mod.handles);
  const sent = new Set(handled);
  if (reads.conversation) sent.add("prefilled").add("finished");
  if (hasDeclaredRequestStates()) sent.add("finished");
  const { activations, maxBacktrack } = mod.needs;
  const needs: ModNeeds = Object.freeze({
    topK: reads.topK ? mod.needs.topK : 0,
    logits: mod.needs.logits || (reads.logits && handled.has("forwardPass")),
    ...(activations && {
      activations: Object.freeze({
        ...activations,
        hiddenStates: activations.hiddenStates && reads.hiddenState,
      }),
    }),
    ...(maxBacktrack !== undefined && { maxBacktrack }),
  });

  const outputs = new Map<string, OutputCopy>();
  /** The layer sizes of each request's model. */
  const sizes = new Map<string, LayerSizes>();

  /** The request's output, up to the event. */
  function outputAt(wire: WireEvent): OutputCopy {
    const output = outputs.get(wire.requestId) ?? new OutputCopy(tokenizer);
    outputs.set(wire.requestId, output);
    if ("output" in wire && wire.output) output.change(wire.output);
    return output;
  }

  async function answer(wire: WireEvent, score: ScoreContinuations | null): Promise<ModRunnerReply> {
    const output = outputAt(wire);
    const event = toPublicEvent(wire, { tokenizer, needs, output, score });
    if (event.type === "prefilled" && reads.conversation) rememberRequest(event.requestId, event);
    if ("sizes" in wire && wire.sizes) sizes.set(wire.requestId, wire.sizes);
    const actions = createActionBuilders({
      event: event.type,
      step: event.step,
      tokenizer,
      output: () => output.tokens,
      ...(event.type === "prefilled" && { prompt: { tokens: event.tokens, messages: event.messages } }),
      activations: activations
        ? { layers: activations.layers, sizes: sizes.get(wire.requestId) ?? null }
        : null,
    });
    try {
      if (!handled.has(event.type)) return { action: actions.noop(), builtAt: null };
      const result = await withinRequest(event.requestId, () => mod.handler(event, actions, tokenizer));
      return checked(result ?? actions.noop(), event.type);
    } finally {
      if (event.type === "finished") {
        outputs.delete(event.requestId);
        sizes.delete(event.requestId);
        forgetRequest(event.requestId);
      }
    }
  }

  let last: Promise<unknown> = Promise.resolve();
  return Object.freeze({
    name: mod.name ?? entry ?? "mod",
    handles: Object.freeze(eventTypes.filter((type) => sent.has(type))),
    needs,
    handle(event: WireEvent, score: ScoreContinuations | null = null) {
      const next = last.then(() => answer(event, score));
      last = next.catch(() => undefined);
      return next;
    },
  });
}

function checked(result: Action, event: EventType): ModRunnerReply {
  const origin = actionOriginOf(result);
  if (origin?.event === event) return { action: result, builtAt: origin.builtAt };
  const type = typeof result === "object" && "type" in result ? String(result.type) : describeValue(result);
  throw new InvalidActionError(
    type,
    event,
    origin === null
      ? "the handler returned a value that is not an action: return the result of actions.…()."
      : `the handler returned an action that was built at "${origin.event}": build a new action at each event.`,
  );
}

function pickMod(exports: Readonly<Record<string, unknown>>, entry: string): Mod {
  const found = exports[entry];
  if (isMod(found)) return found;
  const names = Object.keys(exports).filter((name) => isMod(exports[name]));
  const available = names.length > 0 ? `It exports ${names.join(", ")}.` : "It exports no mod.";
  const advice =
    entry === "default" ? "Write: export default mod({ … })." : `Write: export const ${entry} = mod({ … }).`;
  throw new TypeError(
    `The file has no ${entry === "default" ? "default mod" : `mod "${entry}"`}. ${available} ${advice}`,
  );
}
