/**
 * Enforces a request's response format and tool choice. It is a mod in this process that is asked after all others: it masks
 * tokens that are not allowed, forces tokens if there is no choice, and ends the request when the answer is complete.
 */
import type { LoopEvent, ModHost, ModReply } from "../decoder/ports/mod-host.ts";
import { firstTokens } from "../masks/vocabulary/token-bits.ts";
import type { Action } from "../sdk/action.ts";
import type { EventType } from "../sdk/event.ts";
import type { TokenId } from "../sdk/request.ts";
import type { Tokenizer } from "../sdk/tokenizer.ts";
import type { TraceReasoning } from "../trace/format/format-request.ts";
import { splitReasoning } from "../trace/text/reasoning.ts";
import { requestFormatModSource } from "./about-request.ts";
import { type AnswerConstraints, answerConstraintsOf } from "./answer-constraints.ts";
import { AnswerConstraintState } from "./answer-state.ts";
import type { ToolFormat } from "./format.ts";
import { type RequestFormat, RequestFormatError } from "./request-format.ts";
import {
  type VocabularyWithSpecialTokens,
  vocabularyWithSpecialTokens,
} from "./vocabulary-with-special-tokens.ts";

export interface RequestFormatHostOptions {
  readonly request: RequestFormat;
  readonly tokenizer: Tokenizer;
  /** The format in which this model writes calls. */
  readonly format: ToolFormat;
  /** Names of the mods that are asked before this one, for its errors. */
  readonly modNames: readonly string[];
  /** The marks of the reasoning that may precede the answer; null if the model does not think. */
  readonly reasoning?: TraceReasoning | null;
}

/** The built-in mod that enforces a request's format. */
export interface RequestFormatHost extends ModHost {
  readonly name: "tools" | "response_format";
  /** A description of the enforced format, which the trace shows as the mod's source. */
  readonly source: string;
}

/**
 * Null if the request has no tools and no response format.
 * @throws RequestFormatError for a schema that cannot be enforced, with the keyword's path; ConstraintLimitError for one that is too large.
 */
export function createRequestFormatHost(options: RequestFormatHostOptions): RequestFormatHost | null {
  const { request, tokenizer, format, reasoning = null } = options;
  if (request.responseFormat === null && request.tools.length === 0) return null;
  const vocabulary = vocabularyWithSpecialTokens(tokenizer);
  const constraints = answerConstraintsOf(request, format, vocabulary, reasoning);
  if (tokenizer.eosTokenIds.length === 0 && !constraints.isFree) {
    throw new RequestFormatError(
      "response_format",
      " needs an end-of-sequence token, but this model has none. Use another model.",
    );
  }
  const start = AnswerConstraintState.start(constraints, vocabulary);
  // Computed now, so that a constraint that is too large refuses the request instead of ending it later.
  start.allowed();
  return new AnswerKeeper(options, constraints, vocabulary, start);
}

/** The state of the answer so far. */
interface Step {
  readonly token: TokenId;
  readonly state: AnswerConstraintState;
}

class AnswerKeeper implements RequestFormatHost {
  readonly name: RequestFormatHost["name"];
  readonly source: string;
  readonly handles: ReadonlySet<EventType> = new Set<EventType>(["forwardPass", "added", "backtracked"]);
  /** The mod checks whether the edits of the mods before it left any token that the format allows, and reports a fault if not. */
  readonly asksWhatIsLeft = true;
  readonly needs = { topK: 0, logits: false };
  readonly #options: RequestFormatHostOptions;
  readonly #vocabulary: VocabularyWithSpecialTokens;
  readonly #start: AnswerConstraintState;
  /** The state after each emitted token. */
  readonly #steps: Step[] = [];

  constructor(
    options: RequestFormatHostOptions,
    constraints: AnswerConstraints,
    vocabulary: VocabularyWithSpecialTokens,
    start: AnswerConstraintState,
  ) {
    this.#options = options;
    this.#vocabulary = vocabulary;
    this.#start = start;
    this.name = options.request.tools.length > 0 ? "tools" : "response_format";
    this.source = requestFormatModSource(options.request, options.format, constraints);
  }

  async ask(event: LoopEvent): Promise<ModReply> {
    let action: Action;
    try {
      action = await this.#answer(event);
    } catch (error) {
      // Ends the request with an error, not a fault: after a fault, the request might continue without its format.
      action = { type: "error", message: `${this.#field}: ${(error as Error).message}` };
    }
    return { action, fault: null, console: [] };
  }

  dispose(): void {
    this.#steps.length = 0;
  }

  get #state(): AnswerConstraintState {
    return this.#steps.at(-1)?.state ?? this.#start;
  }

  /** Name of the request's field that is enforced. */
  get #field(): string {
    const { request } = this.#options;
    if (request.responseFormat === null) return "tool_choice";
    return request.tools.length > 0 ? "response_format and tool_choice" : "response_format";
  }

  #answer(event: LoopEvent): Action | Promise<Action> {
    switch (event.type) {
      // Hidden tokens are no part of the answer.
      case "forwardPass":
        return event.hidden ? noop : this.#steer(event);
      case "added":
        return event.hidden ? noop : this.#read(event);
      case "backtracked":
        this.#steps.length = Math.min(this.#steps.length, event.step);
        return noop;
      default:
        return noop;
    }
  }

  async #steer({ canSample, step }: Extract<LoopEvent, { type: "forwardPass" }>): Promise<Action> {
    const state = this.#state;
    const forced = state.forcedTokens();
    if (forced.length > 0) return { type: "forceTokens", tokens: forced };
    const { mask, only, banned } = state.allowed();
    if (state.isFree) return banned.length > 0 ? adjust({ ban: banned }) : noop;
    if (only !== null) return { type: "forceTokens", tokens: [only] };
    const isLeft = await canSample?.(mask);
    if (isLeft === undefined)
      throw new Error("the set of allowed tokens is missing. This is a bug in Midtoken: please report it.");
    if (isLeft) return adjust({ mask });
    const anySpelling = state.allowedInAnySpelling().mask;
    if (anySpelling !== mask && (await canSample?.(anySpelling))) return adjust({ mask: anySpelling });
    return this.#nothingLeft(mask, step);
  }

  #read({ tokens, source, mod }: Extract<LoopEvent, { type: "added" }>): Action {
    for (const token of tokens) {
      if (this.#vocabulary.eosTokenIds.includes(token)) return this.#ended(mod);
      const next = this.#state.advance(token);
      if (!next) return this.#broken(token, source === "sampled" ? null : mod);
      this.#steps.push({ token, state: next });
    }
    const state = this.#state;
    if (state.isComplete) return this.#complete();
    const forced = state.forcedTokens();
    return forced.length > 0 ? { type: "forceTokens", tokens: forced } : noop;
  }

  /** Replies to an end-of-sequence token. */
  #ended(mod: string | null): Action {
    const state = this.#state;
    if (!state.canEnd) return error(`${this.#blame(mod)} ended the answer too early. ${this.#could()}`);
    return state.endsCalls ? this.#toolCalls() : noop;
  }

  /** Ends the answer, because nothing else may follow. */
  #complete(): Action {
    const [end] = this.#vocabulary.eosTokenIds;
    if (this.#state.endsCalls || end === undefined) return this.#toolCalls();
    return { type: "forceTokens", tokens: [end] };
  }

  #toolCalls(): Action {
    // The model's reasoning may mention calls, so only the answer after it is read.
    const text = splitReasoning(this.#text(), this.#options.reasoning).answer;
    const read = this.#options.format.parse(text);
    if (!read)
      throw new Error(
        `the calls in ${JSON.stringify(text)} cannot be read back. This is a bug in Midtoken: please report it.`,
      );
    // The loop fills in the ids.
    const calls = read.calls.map((call) => ({ id: "", type: "function" as const, function: call }));
    return { type: "toolCalls", calls };
  }

  #broken(token: TokenId, mod: string | null): Action {
    const written = JSON.stringify(this.#options.tokenizer.tokenText(token));
    const advice =
      mod === null
        ? ""
        : ' Text that is erased need not match the response_format: if this text belongs to a question of a mod, set erase: "all" on the question.';
    return error(
      `${this.#blame(mod)} put ${written} where the request's ${this.#field} does not allow it. ${this.#could()}${advice}`,
    );
  }

  #nothingLeft(mask: Uint32Array, step: number): Action {
    const { modNames } = this.#options;
    const names = modNames.map((name) => `"${name}"`).join(", ");
    const who = modNames.length === 0 ? "the model" : `the earlier mods (${names})`;
    const isEmpty = mask.every((word) => word === 0);
    return error(
      isEmpty
        ? `At step ${step}, the request's ${this.#field} allows no continuation: no token of this model fits.`
        : `At step ${step}, no token is left to sample: every token that the request's ${this.#field} allows was excluded by ${who}. ${this.#could()}`,
    );
  }

  #blame(mod: string | null): string {
    return mod === null ? "The model" : `The mod "${mod}"`;
  }

  /** Describes what the format would have allowed, with the text before it. */
  #could(): string {
    const { tokenizer } = this.#options;
    const before = this.#text().slice(-40);
    const tokens = firstTokens(this.#state.allowedInAnySpelling().mask, 6).map((token) =>
      JSON.stringify(tokenizer.tokenText(token)),
    );
    const list = tokens.slice(0, 5).join(", ") + (tokens.length > 5 ? ", …" : "");
    return before === ""
      ? `For example, a valid answer could begin with ${list}.`
      : `After ${JSON.stringify(before)}, the answer could continue with ${list}.`;
  }

  #text(): string {
    return this.#options.tokenizer.decode(
      this.#steps.map(({ token }) => token),
      { specialTokens: "parse" },
    );
  }
}

const noop: Action = { type: "noop" };

function error(message: string): Action {
  return { type: "error", message };
}

function adjust(logits: Extract<Action, { type: "adjustLogits" }>["logits"]): Action {
  return { type: "adjustLogits", logits };
}
