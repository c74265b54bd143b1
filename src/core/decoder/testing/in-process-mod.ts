/** A mod that runs in this process: plain handlers on the loop's events. No sandbox, no deadline. */
import type { Action } from "../../sdk/action.ts";
import type { EventType } from "../../sdk/event.ts";
import type { ScoreContinuations } from "../../sdk/score-arguments.ts";
import type { ConsoleLine, LoopEvent, ModHost, ModReply } from "../ports/mod-host.ts";

/** A handler for each event that the mod wants. This file does not check the returned action: a guest may return anything. */
export type Handlers = {
  readonly [Type in EventType]?: (
    event: Extract<LoopEvent, { type: Type }>,
    log: (text: string) => void,
    score: ScoreContinuations,
  ) => unknown;
};

/** An event without what is live: the output, the logits themselves, and what may be asked of them. */
type SeenEvent = LoopEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, "emitted">
    : never
  : never;

export interface InProcessMod extends ModHost {
  /** Every event it was sent. */
  readonly events: readonly SeenEvent[];
  readonly isDisposed: boolean;
}

function withoutLive(event: LoopEvent): SeenEvent {
  if (event.type === "prefilled" || event.type === "finished") return event;
  const { emitted: _, ...facts } = event;
  if (facts.type !== "forwardPass") return facts;
  const { top: __, canSample: ___, ...seen } = facts;
  return { ...seen, logits: new Float32Array() };
}

const noScores: ScoreContinuations = async () => {
  throw new Error("The mod was asked without a function that scores.");
};

export function inProcessMod(name: string, handlers: Handlers): InProcessMod {
  const events: SeenEvent[] = [];
  const state = { isDisposed: false };
  return {
    name,
    events,
    get isDisposed() {
      return state.isDisposed;
    },
    handles: new Set(Object.keys(handlers) as EventType[]),
    needs: { topK: 0, logits: true },
    async ask(event, score = noScores): Promise<ModReply> {
      if (state.isDisposed) throw new Error(`The mod "${name}" was asked after it was disposed of.`);
      events.push(withoutLive(event));
      const console: ConsoleLine[] = [];
      const handler = handlers[event.type] as (
        event: LoopEvent,
        log: (text: string) => void,
        score: ScoreContinuations,
      ) => unknown;
      try {
        const answer = await handler(event, (text) => console.push({ level: "log", text }), score);
        return { action: (answer ?? { type: "noop" }) as Action, fault: null, console };
      } catch (error) {
        const { message, stack } = error as Error;
        const fault = { kind: "threw", message, ...(stack !== undefined && { stack }) } as const;
        return { action: { type: "noop" }, fault, console };
      }
    },
    dispose() {
      state.isDisposed = true;
    },
  };
}
