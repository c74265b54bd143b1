/**
 * Drives hidden questions in a stretch of the output, one after the other. The stretch (`SelfPromptSpan`) has two lists:
 * the actual tokens, which were added to the output since the stretch began, and the wanted tokens, which should stand at its
 * beginning. The driver answers each event with the one action that turns the first into the second. If another mod's action
 * wins, the driver asks for its action again at the next event, because the difference is still there. No forward pass is
 * spent between two questions. A question is hidden (`SelfPromptPlan.isHidden`) if a part of it will be removed: its first
 * token is emitted with `hidden`, which also hides all tokens after it.
 *
 * Example: the prompt " Mood:", the answers " good" and " bad", `erase: "prompt"`, and no question after it.
 *
 * | event       | actual         | wanted    | action                                                             |
 * |-------------|----------------|-----------|--------------------------------------------------------------------|
 * | forwardPass |                | " Mood:"  | forceTokens(" Mood:", { hidden: true })                            |
 * | added       | " Mood:"       | " Mood:"  | none: the prompt stands there, `isPlaced`                          |
 * | forwardPass | " Mood:"       | " Mood:"  | adjustLogits({ mask }), with the tokens that begin an answer       |
 * | added       | " Mood: good"  | " good"   | backtrack(2, " good"): the answer is complete, and it stays        |
 * | backtracked |                | " good"   | none: no action is allowed                                         |
 * | added       | " good"        | " good"   | none: " good" belongs to the text from here on, `isClosed`         |
 */
import { describeValue } from "../../base/show.ts";
import type { ConstraintState } from "../../masks/masks/constraint.ts";
import type { Action } from "../action.ts";
import type { AllActions } from "../actions.ts";
import type { EventOf, ModEvent } from "../event.ts";
import type { TokenId } from "../request.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { ScoreRequest, type SelfPromptDriverOptions, type SelfPromptStep } from "./next-step.ts";
import { scoresOf } from "./option-scores.ts";
import { answerOf } from "./self-prompt-answer.ts";
import { outputEditAction } from "./self-prompt-emission.ts";
import type { SelfPromptPlan } from "./self-prompt-plan.ts";
import { SelfPromptSpan } from "./self-prompt-stretch.ts";

/** Events at which the text can be changed. */
type Turn = EventOf<"forwardPass" | "sampled" | "added">;

export class SelfPromptDriver {
  readonly #options: SelfPromptDriverOptions;
  readonly #stretch = new SelfPromptSpan();
  /** True once `first` was called and its step was adopted. */
  #isBegun = false;
  #plan: SelfPromptPlan | null = null;
  /** The strategy's states: before the answer, and after each of its tokens. */
  #states: ConstraintState[] = [];
  #finish: ((actions: AllActions) => Action) | null = null;
  /** True once the probabilities of the question's options were read. */
  #isScored = false;
  /** True if the tokens to write end with a text that the model continues. */
  #endsWithText = false;
  #isClosed = false;
  #tokenizer: Tokenizer | null = null;

  constructor(options: SelfPromptDriverOptions) {
    this.#options = options;
  }

  /** True once there is nothing more to ask. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts again with `first`. The tokens of an unfinished question are removed. */
  restart(): void {
    if (this.#stretch.isBegun && !this.#isClosed && this.#tokenizer !== null) {
      this.#adopt(this.#options.first(this.#tokenizer), []);
      return;
    }
    this.#isClosed = false;
    this.#isBegun = false;
    this.#stretch.leave();
  }

  /** The action for an event; null if there is nothing to do; a ScoreRequest if the action depends on scores. */
  handle(event: ModEvent, actions: AllActions, tokenizer: Tokenizer): Action | ScoreRequest | null {
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

  /** Tells the stretch what happened to the output. */
  #follow(event: Turn | EventOf<"backtracked">): void {
    const added = event.type === "added" ? event.tokens : [];
    const missed = this.#stretch.follow(event.step - added.length, added);
    if (missed > 0) {
      throw new Error(
        `${this.#options.name} missed ${missed} tokens: pass every event of the mod, at least forwardPass and added, to handle() until the answer is complete.`,
      );
    }
  }

  #begin(event: Turn, tokenizer: Tokenizer): boolean {
    if (event.hidden && this.#stretch.hasNothing) {
      // Another mod's hidden question is open here. A question inside it would be removed with it, so this one waits.
      this.#stretch.leave();
      return false;
    }
    if (this.#stretch.isBegun) return true;
    if (event.type === "sampled" || (event.type === "added" && event.isEos)) return false;
    this.#stretch.begin(event.step);
    if (!this.#isBegun) this.#adopt(this.#options.first(tokenizer), []);
    this.#isBegun = true;
    return true;
  }

  /** Makes a step the current one. `keptText`: whether the preserved tokens end with a text that may be healed. */
  #adopt(
    { say = [], heal = true, ask, finish }: SelfPromptStep,
    kept: readonly TokenId[],
    keptText = false,
  ): void {
    this.#stretch.setTarget([...kept, ...say], ask?.prompt ?? []);
    // A question's prompt is healed as a part of the answer (`heal-prompt.ts`).
    this.#endsWithText = !ask && (say.length > 0 ? heal : keptText);
    this.#plan = ask ?? null;
    this.#states = ask ? [ask.start] : [];
    this.#finish = finish ?? null;
    this.#isScored = false;
  }

  #proceed(event: Turn, actions: AllActions, tokenizer: Tokenizer): Action | ScoreRequest | null {
    // A question can be complete at once: no prompt, one possible answer. So can the next one. The bound ends an endless loop.
    for (let round = 0; round < 1000; round++) {
      if (this.#finish) return this.#finish(actions);
      const change = this.#stretch.change(this.#plan?.isHidden === true, this.#endsWithText);
      if (change) return outputEditAction(change, actions);
      if (!this.#plan) {
        this.#isClosed = true;
        return null;
      }
      if (this.#needsScores(this.#plan)) {
        // Scores need the logits after the prompt, which are there at the next `forwardPass`.
        return event.type === "forwardPass" ? this.#askForScores(event, actions, tokenizer) : null;
      }
      const step = this.#answer(this.#plan, event, actions);
      if (step !== "complete") return step;
      const action = this.#complete(this.#plan, event, actions, tokenizer);
      if (action) return action;
    }
    throw new Error(
      `${this.#options.name} asked 1,000 questions in a row without a token between them: end the loop.`,
    );
  }

  #needsScores(plan: SelfPromptPlan): boolean {
    const { foreign, answer } = this.#stretch;
    return plan.scored !== null && !this.#isScored && foreign.length === 0 && answer.length === 0;
  }

  #askForScores(event: Turn, actions: AllActions, tokenizer: Tokenizer): ScoreRequest | null {
    const scored = this.#plan?.scored;
    if (!scored) return null;
    return new ScoreRequest(scored.continuations, (logprobs) => {
      this.#isScored = true;
      this.#options.scored(scoresOf(scored.texts, logprobs));
      const answer = this.#proceed(event, actions, tokenizer);
      // The probabilities of a question are read once.
      return answer instanceof ScoreRequest ? null : answer;
    });
  }

  #answer(plan: SelfPromptPlan, event: Turn, actions: AllActions): Action | null | "complete" {
    const state = this.#read();
    const { foreign, isEmpty } = this.#stretch;
    if (foreign.length > 0) {
      if (state.canEnd) return "complete";
      const isNew = event.type === "added" && foreign.length === event.tokens.length;
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
    // If the first token of the question is hidden, all tokens after it are hidden too.
    const hidden = plan.isHidden && isEmpty && { hidden: true };
    const forced = state.forcedTokens();
    if (forced.length > 0) return actions.forceTokens(forced, { ...hidden });
    if (event.type === "added") return null;
    const options = { ...(temperature !== undefined && { temperature }), ...hidden };
    // If the answer may end here, every token is allowed: a token that does not continue the answer ends it.
    if (state.canEnd) return Object.keys(options).length === 0 ? null : actions.adjustLogits({}, options);
    return actions.adjustLogits({ mask: state.samplingMask() }, options);
  }

  /** Reads tokens of the output into the answer as long as the strategy allows them. */
  #read(): ConstraintState {
    this.#states.length = Math.min(this.#states.length, this.#stretch.answer.length + 1);
    let state = this.#states.at(-1) as ConstraintState;
    for (let next = this.#next(state); next; next = this.#next(state)) {
      this.#states.push(next);
      this.#stretch.takeNext();
      state = next;
    }
    return state;
  }

  #next(state: ConstraintState): ConstraintState | null {
    const [token] = this.#stretch.foreign;
    return token === undefined ? null : state.advance(token);
  }

  #complete(plan: SelfPromptPlan, event: Turn, actions: AllActions, tokenizer: Tokenizer): Action | null {
    const { tokens, text } = answerOf(plan, this.#stretch.answer, tokenizer);
    const asked = this.#stretch.own;
    const next = this.#options.answered(text, tokenizer);
    const kept = { none: [...asked, ...plan.completion], prompt: next.isRejected ? [] : tokens, all: [] };
    const keepsCompletion = plan.erase === "none" && plan.completion.length > 0;
    this.#adopt(next, kept[plan.erase], keepsCompletion && plan.heal);
    if (plan.erase === "none" || plan.prompt.length === 0) {
      this.#stretch.mayStay(kept[plan.erase]);
    }
    const isUnchanged = this.#stretch.isAsWanted;
    const isLast = this.#plan === null && this.#finish === null;
    if (event.type === "sampled" && isUnchanged && this.#finish === null) {
      // The token that ended the answer also becomes part of the text after it. If the token was drawn at the answer's own
      // temperature, in a hidden question, or before another question, it is drawn again instead.
      return isLast && plan.temperature === undefined && !plan.isHidden ? null : actions.backtrack(0);
    }
    const isText = isUnchanged && isLast && !plan.isHidden;
    const isDropped = event.type === "added" && event.source === "sampled" && !isText;
    if (isDropped) this.#stretch.takeAll();
    return null;
  }

  #end(): null {
    this.#isClosed = true;
    const { foreign, isPlaced } = this.#stretch;
    if (this.#plan && isPlaced && foreign.length > 0) {
      throw new Error(
        `${this.#options.name} was interrupted and got no answer: another mod added ${foreign.length} tokens that the question's strategy does not allow. Let one mod finish before the other begins.`,
      );
    }
    return null;
  }

  #strange(text: string): Error {
    return new Error(
      `${this.#options.name} does not allow ${describeValue(text)} here, but the model sampled it: a later mod replaced the logits, or handle() did not get the forwardPass event. Put the mod with the question last.`,
    );
  }
}
