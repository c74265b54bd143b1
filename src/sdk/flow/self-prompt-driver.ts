/**
 * Drives hidden questions in a stretch of the output, one after the other. The driver keeps two lists: `#actual`, the tokens that
 * stand in the output since the stretch began, and `#wanted`, the tokens that should stand at its beginning. It answers each
 * event with the one action that turns the first into the second. So an action that lost against another mod's is asked for
 * again at the next event, because the difference is still there. And one action takes a question out, leaves what stays of it
 * and puts the next prompt in: no forward pass is spent between two questions.
 *
 * Example: the prompt " Mood:", the answers " good" and " bad", `erase: "prompt"`, and no question after it.
 *
 * | event       | `#actual`      | `#wanted` | action                                                             |
 * |-------------|----------------|-----------|--------------------------------------------------------------------|
 * | forwardPass |                | " Mood:"  | forceTokens(" Mood:")                                              |
 * | added       | " Mood:"       | " Mood:"  | none: the prompt stands there, `#isPlaced`                         |
 * | forwardPass | " Mood:"       | " Mood:"  | adjustLogits({ mask }), with the tokens that begin an answer       |
 * | added       | " Mood: good"  | " good"   | backtrack(2, " good"): the answer is complete, and it stays        |
 * | backtracked |                | " good"   | none: no action is allowed                                         |
 * | added       | " good"        | " good"   | none: " good" belongs to the text from here on, `isClosed`         |
 */
import { sharedLength } from "../../base/shared-length.ts";
import { show } from "../../base/show.ts";
import type { ConstraintState } from "../../masks/constraint.ts";
import type { Action } from "../action.ts";
import type { AllActions } from "../actions.ts";
import type { EventOf, ModEvent } from "../event.ts";
import type { TokenId } from "../request.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { NextStep } from "./next-step.ts";
import { answerOf } from "./self-prompt-answer.ts";
import type { SelfPromptPlan } from "./self-prompt-plan.ts";

export interface SelfPromptDriverOptions {
  /** How errors call it. */
  readonly name: string;
  /** What to begin with; asked once. */
  readonly first: (tokenizer: Tokenizer) => NextStep;
  /** What follows an answer; asked once for each. */
  readonly answered: (answer: string, tokenizer: Tokenizer) => NextStep;
}

/** Events at which the text can be changed. */
type Turn = EventOf<"forwardPass" | "sampled" | "added">;

export class SelfPromptDriver {
  readonly #options: SelfPromptDriverOptions;
  /** How many emitted tokens stand before the stretch; null before it begins. */
  #start: number | null = null;
  /** All tokens that were emitted since then and still stand. */
  #actual: TokenId[] = [];
  /** The first `#own` tokens of `#actual` are the driver's: a settled text, the prompt, and the answer so far. Those after them are another mod's, or follow the answer. */
  #own = 0;
  /** What should stand in place of the driver's own tokens: first what is settled, then the question's prompt. The answer follows it. */
  #wanted: readonly TokenId[] = [];
  /** So many of these are settled: they belong to no question any more. */
  #settled = 0;
  /**
   * Where the driver's tokens have to change, the first `#stays` of them may be left in place; all others are taken out and put
   * back with the change. So what was emitted in one action is also taken back in one.
   */
  #stays = 0;
  /** What is wanted stands there; after it, the answer. */
  #isPlaced = false;
  #plan: SelfPromptPlan | null = null;
  /** Before the answer, and after each of its tokens. */
  #states: ConstraintState[] = [];
  #finish: ((actions: AllActions) => Action) | null = null;
  #isClosed = false;
  #tokenizer: Tokenizer | null = null;

  constructor(options: SelfPromptDriverOptions) {
    this.#options = options;
  }

  /** True once there is nothing more to ask. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Begins again from `first`. The tokens of a question that is still open are taken out. */
  restart(): void {
    if (this.#start !== null && !this.#isClosed && this.#tokenizer !== null) {
      this.#adopt(this.#options.first(this.#tokenizer), []);
      return;
    }
    this.#isClosed = false;
    this.#start = null;
  }

  /** The answer to an event; null when the event is to take its course. */
  handle(event: ModEvent, actions: AllActions, tokenizer: Tokenizer): Action | null {
    if (this.#isClosed || event.type === "prefilled") return null;
    this.#tokenizer = tokenizer;
    try {
      if (event.type === "finished") return this.#end();
      this.#follow(event);
      if (event.type === "backtracked" || !this.#begin(event, tokenizer)) return null;
      return this.#proceed(event, actions, tokenizer);
    } catch (error) {
      // An error of an author's function is reported once: a closed driver does not call the functions again.
      this.#isClosed = true;
      throw error;
    }
  }

  /** Brings `#actual` up to date with the output. */
  #follow(event: Turn | EventOf<"backtracked">): void {
    if (this.#start === null) return;
    const added = event.type === "added" ? event.tokens : [];
    const before = event.step - added.length;
    const missed = before - this.#start - this.#actual.length;
    if (missed > 0) {
      throw new Error(
        `${this.#options.name} was not told of ${missed} tokens: hand every event of the mod to handle(), at least forwardPass and added, until the answer is there.`,
      );
    }
    this.#start = Math.min(this.#start, before);
    this.#actual.length = before - this.#start;
    this.#own = Math.min(this.#own, this.#actual.length);
    this.#stays = Math.min(this.#stays, this.#own);
    if (this.#own < this.#wanted.length) this.#isPlaced = false;
    this.#actual.push(...added);
  }

  #begin(event: Turn, tokenizer: Tokenizer): boolean {
    if (this.#start !== null) return true;
    if (event.type === "sampled" || (event.type === "added" && event.isEos)) return false;
    this.#start = event.step;
    this.#actual = [];
    this.#own = 0;
    this.#adopt(this.#options.first(tokenizer), []);
    return true;
  }

  #adopt({ say = [], ask, finish }: NextStep, kept: readonly TokenId[]): void {
    this.#wanted = [...kept, ...say, ...(ask?.prompt ?? [])];
    this.#settled = kept.length + say.length;
    this.#plan = ask ?? null;
    this.#states = ask ? [ask.start] : [];
    this.#finish = finish ?? null;
    this.#isPlaced = false;
    this.#stays = 0;
  }

  #proceed(event: Turn, actions: AllActions, tokenizer: Tokenizer): Action | null {
    // A question without a prompt and with one possible answer is complete at once, and so may be the one after it: not for ever.
    for (let round = 0; round < 1000; round++) {
      if (this.#finish) return this.#finish(actions);
      const change = this.#place();
      if (change) return emit(change, actions);
      if (!this.#plan) {
        this.#isClosed = true;
        return null;
      }
      const step = this.#answer(this.#plan, event, actions);
      if (step !== "complete") return step;
      const action = this.#complete(this.#plan, event, actions, tokenizer);
      if (action) return action;
    }
    throw new Error(`${this.#options.name} asks 1,000 questions without a token between them: end the loop.`);
  }

  /** The change that turns `#actual` into `#wanted`; null when `#wanted` stands there already. */
  #place(): Emission | null {
    if (this.#isPlaced) return null;
    let shared = sharedLength(this.#actual, this.#wanted, this.#own);
    const there = sharedLength(this.#actual, this.#wanted, this.#actual.length);
    // The driver's tokens come all at once: tokens that are only the beginning of `#wanted` are another mod's.
    if (shared === this.#own && there === this.#wanted.length) shared = this.#own = there;
    if (shared === this.#own && shared === this.#wanted.length) {
      this.#release();
      return null;
    }
    const foreign = this.#actual.slice(this.#own);
    if (foreign.length > 0) {
      // Another mod's tokens stay in the text, behind what is settled.
      this.#wanted = this.#wanted.toSpliced(this.#settled, 0, ...foreign);
      this.#settled += foreign.length;
      this.#own = this.#actual.length;
      shared = sharedLength(this.#actual, this.#wanted, this.#own);
    }
    if (shared < this.#own) shared = Math.min(shared, this.#stays);
    return { remove: this.#actual.length - shared, tokens: this.#wanted.slice(shared) };
  }

  /** Lets go of what is settled: it belongs to the text from here on, and the stretch begins behind it. */
  #release(): void {
    this.#start = (this.#start ?? 0) + this.#settled;
    this.#actual.splice(0, this.#settled);
    this.#own -= this.#settled;
    this.#stays = 0;
    this.#wanted = this.#wanted.slice(this.#settled);
    this.#settled = 0;
    this.#isPlaced = true;
  }

  #answer(plan: SelfPromptPlan, event: Turn, actions: AllActions): Action | null | "complete" {
    const state = this.#read();
    const stranger = this.#actual[this.#own];
    if (stranger !== undefined) {
      if (state.canEnd) return "complete";
      const isNew = event.type === "added" && this.#actual.length === this.#own + event.tokens.length;
      if (isNew && event.source === "sampled") throw this.#strange(event.text);
      return null;
    }
    if (state.isComplete) return "complete";
    if (event.type === "sampled") {
      if (state.advance(event.token)) return null;
      if (state.canEnd) return "complete";
      throw this.#strange(event.text);
    }
    const forced = state.forcedTokens();
    if (forced.length > 0) return actions.forceTokens(forced);
    if (event.type === "added") return null;
    const { temperature } = plan;
    const options = temperature === undefined ? {} : { temperature };
    // Where the answer may end, every token is allowed: one that does not go on with the answer ends it and follows it.
    if (state.canEnd) return temperature === undefined ? null : actions.adjustLogits({}, options);
    return actions.adjustLogits({ mask: state.mask() }, options);
  }

  /** Reads tokens of `#actual` into the answer as long as the strategy allows them. */
  #read(): ConstraintState {
    this.#states.length = Math.min(this.#states.length, this.#own - this.#wanted.length + 1);
    let state = this.#states.at(-1) as ConstraintState;
    for (let next = this.#next(state); next; next = this.#next(state)) {
      this.#states.push(next);
      this.#own += 1;
      state = next;
    }
    return state;
  }

  #next(state: ConstraintState): ConstraintState | null {
    const token = this.#actual[this.#own];
    return token === undefined ? null : state.advance(token);
  }

  #complete(plan: SelfPromptPlan, event: Turn, actions: AllActions, tokenizer: Tokenizer): Action | null {
    const { tokens, text } = answerOf(plan, this.#actual.slice(this.#wanted.length, this.#own), tokenizer);
    const asked = this.#actual.slice(0, this.#own);
    const next = this.#options.answered(text, tokenizer);
    const kept = { none: [...asked, ...plan.completion], prompt: next.isRejected ? [] : tokens, all: [] };
    this.#adopt(next, kept[plan.erase]);
    if (plan.erase === "none" || plan.prompt.length === 0) {
      this.#stays = sharedLength(kept[plan.erase], asked, asked.length);
    }
    const isUnchanged =
      this.#wanted.length === this.#own && sharedLength(this.#wanted, asked, this.#own) === this.#own;
    const isLast = this.#plan === null && this.#finish === null;
    if (event.type === "sampled" && isUnchanged && this.#finish === null) {
      // The token that ended the answer is kept as the text after it. But one that was drawn at the answer's own temperature, or
      // before another question, is drawn anew.
      return isLast && plan.temperature === undefined ? null : actions.backtrack(0);
    }
    const isDropped = event.type === "added" && event.source === "sampled" && !(isUnchanged && isLast);
    if (isDropped) this.#own = this.#actual.length;
    return null;
  }

  #end(): null {
    this.#isClosed = true;
    const stranger = this.#actual.slice(this.#own);
    if (this.#plan && this.#isPlaced && stranger.length > 0) {
      throw new Error(
        `${this.#options.name} was interrupted and never answered: ${stranger.length} tokens of another mod stand in its answer, which its strategy does not allow. Let one mod finish before the other begins.`,
      );
    }
    return null;
  }

  #strange(text: string): Error {
    return new Error(
      `${this.#options.name} allows no ${show(text)} here, but it was sampled: a mod after this one replaced the logits, or handle() was not given the forwardPass event. Put the mod with the question last.`,
    );
  }
}

interface Emission {
  readonly remove: number;
  readonly tokens: readonly TokenId[];
}

function emit({ remove, tokens }: Emission, actions: AllActions): Action {
  if (remove === 0) return actions.forceTokens(tokens);
  return tokens.length === 0 ? actions.backtrack(remove) : actions.backtrack(remove, tokens);
}
