/** Turns a plain event into the event that a handler reads: frozen, with costly properties computed when they are first read. */

import { createActivationReaders, takeTopTokens, withSizes } from "./activation-event.ts";
import type { ForwardPassEvent, ModEvent, OutputSoFar } from "./event.ts";
import { type ModNeeds, maximumTopK } from "./mod.ts";
import type { OutputCopy } from "./output-so-far.ts";
import type { TokenId } from "./request.ts";
import { createScoreFunction, type ScoreContinuations } from "./score-arguments.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { WireEvent, WireOutputChange } from "./wire-event.ts";

/** The values from which an event is made, besides the message. */
export interface PublicEventContext {
  readonly tokenizer: Tokenizer;
  /** The needs that the mod declared, for the error message if something was not sent. */
  readonly needs: ModNeeds;
  /** The request's output, up to this event. */
  readonly output: OutputCopy;
  /** Asks the engine for scores; null at events that cannot score. */
  readonly score: ScoreContinuations | null;
}

/** Turns the plain data of an event into the event that a mod's handler gets. */
export function toPublicEvent(wire: WireEvent, parts: PublicEventContext): ModEvent {
  const { tokenizer, needs } = parts;
  switch (wire.type) {
    case "prefilled": {
      const { sizes, ...fields } = wire;
      const { messages, tools, responseFormat } = fields;
      const spans = fields.spans ?? messages.map(() => null);
      const copies = frozenCopy({ messages, spans, tools, responseFormat });
      const event = withSizes({ ...fields, ...copies, tokens: list(wire.tokens) }, sizes, needs);
      return withText(event, () => tokenizer.decode(wire.tokens, { specialTokens: "parse" }));
    }
    case "forwardPass":
      return withOutput(forwardPass(wire, needs), wire, parts, 1);
    case "sampled": {
      const { output: _, ...fields } = wire;
      return withOutput(fields, wire, parts, 1);
    }
    case "added": {
      const { output: _, ...fields } = wire;
      const tokens = list(wire.tokens);
      const event = { ...fields, tokens, forced: wire.source !== "sampled" };
      return withOutput(event, wire, parts, tokens.length);
    }
    case "backtracked": {
      const { output: _, ...fields } = wire;
      return withOutput({ ...fields, removed: list(wire.removed) }, wire, parts, 1);
    }
    case "finished":
      return Object.freeze({ ...wire, tokens: list(wire.tokens), usage: frozenCopy(wire.usage) });
  }
}

function forwardPass(
  wire: Extract<WireEvent, { type: "forwardPass" }>,
  needs: ModNeeds,
): Omit<ForwardPassEvent, "output" | "score"> {
  const event = {
    type: wire.type,
    requestId: wire.requestId,
    step: wire.step,
    hidden: wire.hidden,
    get logits() {
      if (wire.logits !== undefined) return wire.logits;
      throw new Error("event.logits was not sent: declare it with mod({ logits: true, … }).");
    },
    topK(k: number) {
      if (!Number.isInteger(k) || k < 0)
        throw new RangeError(`topK(${k}): give a whole number of 0 or more.`);
      if (k > needs.topK) {
        throw new RangeError(
          k > maximumTopK
            ? `topK(${k}): at most ${maximumTopK} tokens can be sent; read event.logits for all of them.`
            : `topK(${k}): only ${needs.topK} tokens are sent; declare more with mod({ topK: ${k}, … }).`,
        );
      }
      // The list is shorter than declared if earlier mods banned tokens or if the vocabulary is small.
      return takeTopTokens(wire.top, Math.min(k, wire.top.tokens.length));
    },
    ...createActivationReaders(wire.activations, wire.sizes, needs),
  };
  // Copying or logging an event must not read logits that were not sent.
  if (wire.logits === undefined) Object.defineProperty(event, "logits", { enumerable: false });
  return withSizes(event, wire.sizes, needs);
}

type OutputReaders = Pick<ForwardPassEvent, "output" | "score">;

/** Adds `output` as a property that is not enumerable, so that logging or copying an event does not read the output. */
function withOutput<Fields extends object>(
  fields: Fields,
  { output: change }: { readonly output?: WireOutputChange },
  { output, score, tokenizer }: PublicEventContext,
  newest: number,
): Readonly<Fields> & Readonly<OutputReaders> {
  let view: OutputSoFar | undefined;
  return Object.freeze(
    Object.defineProperties(fields, {
      output: {
        get() {
          if (change === undefined) {
            throw new Error(
              "event.output was not sent: Midtoken sends it only to mods whose source contains the name `output`. Write this name in the source.",
            );
          }
          view ??= output.view(newest);
          return view;
        },
      },
      score: { value: createScoreFunction(score, tokenizer) },
    }),
  ) as Readonly<Fields> & Readonly<OutputReaders>;
}

function withText<Fields extends object>(
  fields: Fields,
  decode: () => string,
): Readonly<Fields> & { readonly text: string } {
  let text: string | undefined;
  return Object.freeze(
    Object.defineProperty(fields, "text", {
      enumerable: true,
      get() {
        text ??= decode();
        return text;
      },
    }),
  ) as Readonly<Fields> & { readonly text: string };
}

function list(tokens: readonly TokenId[]): readonly TokenId[] {
  return Object.freeze(Array.from(tokens));
}

/** A deep copy of plain data, with every object frozen. */
function frozenCopy<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, frozenCopy(entry)]));
  return Object.freeze(copy) as Value;
}
