/**
 * Drives hidden questions in a stretch of the output, one after the other. The driver keeps two lists: `#actual`, the tokens that
 * stand in the output since the stretch began, and `#wanted`, the tokens that should stand at its beginning. It answers each
 * event with the one action that turns the first into the second. So an action that lost against another mod's is asked for
 * again at the next event, because the difference is still there. No forward pass is spent between two questions. A question
 * of which something is taken out is hidden (`SelfPromptPlan.isHidden`): its first token is emitted with `hidden`, and what
 * follows that token in the output is hidden too.
 *
 * Example: the prompt " Mood:", the answers " good" and " bad", `erase: "prompt"`, and no question after it.
 *
 * | event       | `#actual`      | `#wanted` | action                                                             |
 * |-------------|----------------|-----------|--------------------------------------------------------------------|
 * | forwardPass |                | " Mood:"  | forceTokens(" Mood:", { hidden: true })                            |
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
import type { NextStep, SelfPromptDriverOptions } from "./next-step.ts";
import { answerOf } from "./self-prompt-answer.ts";
import { type Emission, emit } from "./self-prompt-emission.ts";
import type { SelfPromptPlan } from "./self-prompt-plan.ts";

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
  /** The last action asked for the first `#asked` tokens of `#wanted`. */
  #asked = 0;
  /** The first `#settled` tokens of `#wanted` belong to no question any more: answers and texts that stay. */
  #settled = 0;
  /**
   * Where the driver's tokens have to change, the first `#stays` of them may be left in place; all others are taken out and put
   * back with the change. So what was emitted in one action is also taken back in one.
   */
  #stays = 0;
  /** `first` was called, and `#wanted` has what it gave. */
  #isBegun = false;
  /** `#wanted` stands in the output; the answer follows it. */
  #isPlaced = false;
  #plan: SelfPromptPlan | null = null;
  /** The strategy's states: before the answer, and after each of its tokens. */
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
    this.#isBegun = false;
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
    if (event.hidden && this.#hasNothing()) {
      // Another mod's hidden question stands here. What is asked inside of it would go with it: this one waits.
      this.#start = null;
      return false;
    }
    if (this.#start !== null) return true;
    if (event.type === "sampled" || (event.type === "added" && event.isEos)) return false;
    this.#start = event.step;
    this.#actual = [];
    this.#own = 0;
    if (!this.#isBegun) this.#adopt(this.#options.first(tokenizer), []);
    this.#isBegun = true;
    return true;
  }

  /** Nothing of the text is the driver's: not even what it asked for at the last event stands there now. */
  #hasNothing(): boolean {
    if (this.#start === null) return true;
    const there = sharedLength(this.#actual, this.#wanted, this.#actual.length);
    return this.#own === 0 && !this.#isPlaced && there < (this.#asked || this.#wanted.length);
  }

  #adopt({ say = [], ask, finish }: NextStep, kept: readonly TokenId[]): void {
    this.#wanted = [...kept, ...say, ...(ask?.prompt ?? [])];
    this.#settled = kept.length + say.length;
    this.#plan = ask ?? null;
    this.#states = ask ? [ask.start] : [];
    this.#finish = finish ?? null;
    this.#isPlaced = false;
    this.#asked = 0;
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
    // What the driver asked for comes all at once: tokens that are only the beginning of it are another mod's.
    const isWhole = there === this.#asked || there === this.#wanted.length;
    if (shared === this.#own && isWhole) shared = this.#own = there;
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
    // What is settled stays: a question that is hidden follows it with an action of its own, which takes no forward pass.
    const isSettledFirst = this.#plan?.isHidden === true && shared < this.#settled;
    this.#asked = isSettledFirst ? this.#settled : this.#wanted.length;
    return {
      remove: this.#actual.length - shared,
      tokens: this.#wanted.slice(shared, this.#asked),
      hidden: this.#plan?.isHidden === true && !isSettledFirst,
    };
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
    const { temperature } = plan;
    // The first token of the question hides those after it too.
    const hidden = plan.isHidden && this.#own === 0 && { hidden: true };
    const forced = state.forcedTokens();
    if (forced.length > 0) return actions.forceTokens(forced, { ...hidden });
    if (event.type === "added") return null;
    const options = { ...(temperature !== undefined && { temperature }), ...hidden };
    // Where the answer may end, every token is allowed: one that does not go on with the answer ends it and follows it.
    if (state.canEnd) return Object.keys(options).length === 0 ? null : actions.adjustLogits({}, options);
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
      // The token that ended the answer is kept as the text after it. But one that was drawn at the answer's own temperature,
      // inside of a hidden question, or before another question, is drawn anew.
      return isLast && plan.temperature === undefined && !plan.isHidden ? null : actions.backtrack(0);
    }
    const isText = isUnchanged && isLast && !plan.isHidden;
    const isDropped = event.type === "added" && event.source === "sampled" && !isText;
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
