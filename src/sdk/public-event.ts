/** Turns a plain event into the one that a handler reads: frozen, with text decoded when it is first asked for. */
import type { ModEvent, TokenLogprob } from "./event.ts";
import { type ModNeeds, maximumTopK } from "./mod.ts";
import type { TokenId } from "./request.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { WireEvent, WireTop } from "./wire-event.ts";

/** `needs` is what the mod declared: it words the complaint when something was not sent. */
export function toPublicEvent(wire: WireEvent, tokenizer: Tokenizer, needs: ModNeeds): ModEvent {
  switch (wire.type) {
    case "prefilled": {
      const { messages, tools, responseFormat } = wire;
      const copies = frozenCopy({ messages, tools, responseFormat });
      return withText({ ...wire, ...copies, tokens: list(wire.tokens) }, () =>
        tokenizer.decode(wire.tokens, { special: true }),
      );
    }
    case "forwardPass":
      return forwardPass(wire, needs);
    case "sampled":
      return withText({ ...wire }, () => tokenizer.decode([wire.token]));
    case "added":
      return withText({ ...wire, tokens: list(wire.tokens), forced: wire.source !== "sampled" }, () =>
        tokenizer.decode(wire.tokens),
      );
    case "backtracked":
      return withText({ ...wire, removed: list(wire.removed) }, () => tokenizer.decode(wire.removed));
    case "finished":
      return Object.freeze({ ...wire, tokens: list(wire.tokens), usage: frozenCopy(wire.usage) });
  }
}

function forwardPass(wire: Extract<WireEvent, { type: "forwardPass" }>, needs: ModNeeds): ModEvent {
  return Object.freeze({
    type: wire.type,
    requestId: wire.requestId,
    step: wire.step,
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
            ? `topK(${k}): at most ${maximumTopK} can be sent; read event.logits for all of them.`
            : `topK(${k}): ${needs.topK} are sent; declare more with mod({ topK: ${k}, … }).`,
        );
      }
      // Fewer than declared are there where mods before this one left fewer, or the vocabulary is smaller.
      return firstOf(wire.top, Math.min(k, wire.top.tokens.length));
    },
  });
}

function firstOf(top: WireTop, count: number): readonly TokenLogprob[] {
  return Object.freeze(
    Array.from({ length: count }, (_, index) =>
      Object.freeze({ token: top.tokens[index] as TokenId, logprob: top.logprobs[index] as number }),
    ),
  );
}

function withText<Facts extends object>(
  facts: Facts,
  decode: () => string,
): Readonly<Facts> & { readonly text: string } {
  let text: string | undefined;
  return Object.freeze(
    Object.defineProperty(facts, "text", {
      enumerable: true,
      get() {
        text ??= decode();
        return text;
      },
    }),
  ) as Readonly<Facts> & { readonly text: string };
}

function list(tokens: readonly TokenId[]): readonly TokenId[] {
  return Object.freeze(Array.from(tokens));
}

/** A deep copy of plain data, frozen all through. */
function frozenCopy<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, frozenCopy(entry)]));
  return Object.freeze(copy) as Value;
}
