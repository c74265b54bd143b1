/** Makes the events of one request by hand, to test each reply of a self-prompt or a flow. */
import { addedText, Output } from "../../../decoder/loop/output.ts";
import { byteTokenizer } from "../../../decoder/testing/byte-tokenizer.ts";
import type { Action, ActionFor } from "../../action.ts";
import { type ActionsFor, createActionBuilders } from "../../actions.ts";
import type { EventType, ModEvent } from "../../event.ts";
import { OutputCopy } from "../../output-so-far.ts";
import { toPublicEvent } from "../../public-event.ts";
import type { TokenId } from "../../request.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import type { WireEvent } from "../../wire-event.ts";

interface Driven {
  handle<Event extends ModEvent>(
    event: Event,
    actions: ActionsFor<Event["type"]>,
    tokenizer: Tokenizer,
  ): ActionFor<Event["type"]> | undefined;
}

const needs = { topK: 0, logits: false };

/** One request: keeps count of the output, and shows answers as short texts: `force "Q:"`, `mask AB`, `back 3 "Y"`. */
export class HandMadeEvents {
  readonly output = new Output([1], byteTokenizer);
  readonly #driven: Driven;
  readonly #requestId: string;

  constructor(driven: Driven, requestId = "r1") {
    this.#driven = driven;
    this.#requestId = requestId;
  }

  get text(): string {
    return this.output.textOf(this.output.length);
  }

  prefilled(): string {
    return this.#ask({
      type: "prefilled",
      step: 0,
      requestId: this.#requestId,
      tokens: [1],
      messages: [],
      tools: [],
      responseFormat: null,
      maxTokens: 100,
    });
  }

  forwardPass(): string {
    return this.#ask({ ...this.#at("forwardPass"), top: { tokens: [], logprobs: [] } });
  }

  sampled(text: string | TokenId): string {
    const token = typeof text === "number" ? text : (byteTokenizer.encode(text)[0] as TokenId);
    return this.#ask({ ...this.#at("sampled"), token, text: this.output.textToAdd(token), logprob: 0 });
  }

  added(text: string | TokenId, source: "sampled" | "forced" | "reinjected" = "sampled"): string {
    const tokens = typeof text === "number" ? [text] : byteTokenizer.encode(text);
    const added = this.output.append(tokens, source);
    const isEos = byteTokenizer.eosTokenIds.includes(tokens.at(-1) ?? -1);
    return this.#ask({
      ...this.#at("added"),
      tokens,
      text: addedText(added),
      source,
      mod: source === "sampled" ? null : "m",
      isEos,
    });
  }

  backtracked(count: number): string {
    const group = this.output.remove(count);
    const removed = group.map(({ token }) => token);
    return this.#ask({ ...this.#at("backtracked"), removed, text: addedText(group), mod: "m" });
  }

  finished(): string {
    const usage = {
      promptTokens: 1,
      hiddenTokens: 0,
      completionTokens: 0,
      reusedTokens: 0,
      forwardPasses: 0,
    };
    return this.#ask({ ...this.#at("finished"), reason: "stop", tokens: [], text: "", usage });
  }

  #at<Type extends EventType>(type: Type) {
    return { type, requestId: this.#requestId, step: this.output.length, hidden: false };
  }

  #ask(wire: WireEvent): string {
    const event = toPublicEvent(wire, {
      tokenizer: byteTokenizer,
      needs,
      output: new OutputCopy(byteTokenizer),
      score: null,
    });
    const actions = createActionBuilders({ event: event.type, step: event.step, tokenizer: byteTokenizer });
    return shown(this.#driven.handle(event, actions, byteTokenizer));
  }
}

function shown(action: Action | undefined): string {
  const text = (tokens: readonly TokenId[] = []) =>
    JSON.stringify(byteTokenizer.decode(tokens, { specialTokens: "parse" }));
  if (action === undefined) return "";
  switch (action.type) {
    case "forceTokens":
      return `force ${text(action.tokens)}`;
    case "backtrack":
      return `back ${action.count}${action.tokens ? ` ${text(action.tokens)}` : ""}`;
    case "forceOutput":
      return `output ${text(action.tokens)}`;
    case "toolCalls":
      return `tools ${action.calls.map(({ function: { name } }) => name)}`;
    case "adjustLogits": {
      const { logits, temperature } = action;
      const mask = logits instanceof Float32Array ? undefined : logits.mask;
      const kept = mask && Array.from({ length: 256 }, (_, token) => token).filter((t) => bit(mask, t));
      const heat = temperature === undefined ? "" : ` at ${temperature}`;
      return `mask ${kept === undefined ? "nothing" : byteTokenizer.decode(kept)}${heat}`;
    }
    default:
      return action.type;
  }
}

function bit(mask: Uint32Array, token: TokenId): boolean {
  return (((mask[token >> 5] as number) >>> (token & 31)) & 1) === 1;
}
