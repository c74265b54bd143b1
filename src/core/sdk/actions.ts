/**
 * The builders that a handler gets as `actions`. Each checks its arguments at the author's line and returns plain, frozen
 * data.
 */
import { describeValue } from "../base/show.ts";
import {
  type Action,
  type ActionType,
  type AdjustLogitsAction,
  type AdjustPrefillAction,
  allowedActions,
  type BacktrackAction,
  type ErrorAction,
  type ForceOutputAction,
  type ForceTokensAction,
  InvalidActionError,
  type NoopAction,
  type PatchAction,
  type SteerAction,
  type ToolCallsAction,
} from "./action.ts";
import {
  type ActionBuilderContext,
  type ArgumentChecks,
  argumentChecksFor,
  type LogitsEditInput,
  type TokensOrText,
  type ToolCallInput,
} from "./arguments.ts";
import type { EventType } from "./event.ts";
import type { PromptInput } from "./prompt-argument.ts";
import type { PatchInput, SteeringInput } from "./vector-arguments.ts";

/**
 * All builders. Tokens may also be given as a text, which is encoded without special tokens. Each builder throws
 * InvalidActionError if the event does not allow the action, or if an argument is wrong.
 */
export interface AllActions {
  /** Change nothing. Returning nothing means the same. */
  noop(): NoopAction;
  /**
   * Replace the prompt before anything is computed: by changed messages, which the engine renders; by tokens; or by a text
   * that is read as a whole prompt (names of special tokens become special tokens, and the token that begins a prompt is added
   * once). `replace` changes a phrase in each message that has the phrase. `maxSteps` replaces the request's token limit.
   */
  adjustPrefill(
    prompt: PromptInput,
    options?: HealOption & { readonly maxSteps?: number },
  ): AdjustPrefillAction | NoopAction;
  /** Replace this step's logits (one for each token of the vocabulary), or edit them: `{ mask, ban, only, add }`. A text in `ban` bans each token that would complete the text; a text in `add` means the tokens that begin it. `temperature` applies to this step only; 0 takes the most likely token. `hidden` hides the sampled token. */
  adjustLogits(
    logits: ArrayLike<number> | LogitsEditInput,
    options?: HiddenOption & { readonly temperature?: number },
  ): AdjustLogitsAction;
  /** Emit exactly these tokens next, without sampling, in one forward pass. A token that was sampled but not emitted is dropped. */
  forceTokens(tokens: TokensOrText, options?: HiddenOption & HealOption): ForceTokensAction;
  /** Remove the last `count` emitted tokens, then emit `tokens` if given. Tokens of the prompt are never removed. */
  backtrack(count: number, tokens?: TokensOrText, options?: HiddenOption & HealOption): BacktrackAction;
  /** Replace the whole output with these tokens, and finish the request. */
  forceOutput(tokens: TokensOrText): ForceOutputAction;
  /** Finish the request with an assistant message that has these tool calls and no content. */
  toolCalls(calls: ToolCallInput | readonly ToolCallInput[]): ToolCallsAction;
  /**
   * Add one or several vectors, times `scale`, to the residual stream after their layers, in every forward pass from the next
   * one on. The new vectors replace all vectors of this mod's last `steer`; null ends its steering. At `prefilled`, the prompt
   * is computed with the vectors too. Vectors of several mods add up.
   */
  steer(vectors: SteeringInput | readonly SteeringInput[] | null): SteerAction;
  /** Replace the residual stream after the layer with the vector: in the next forward pass only, at its last token. */
  patch(patch: PatchInput): PatchAction;
  /** Finish the request with an error that has this message. */
  error(message: string): ErrorAction;
}

/** An option of the actions that put tokens into the output. */
export interface HiddenOption {
  /**
   * True hides these tokens and everything after them, until a backtrack removes the first of these tokens. Stop sequences, the
   * token limit, penalties and usage ignore hidden tokens, and the answer never has them. Once hidden tokens are removed,
   * sampling continues as if they had never existed.
   */
  readonly hidden?: boolean;
}

/** An option of the actions that put a text before the model's own tokens. */
export interface HealOption {
  /**
   * Token healing. A text may end within a word, or in a space that the model writes as part of the next word. If the model
   * prefers a token that begins with the text's last characters, the last tokens of the text are removed and that token is
   * chosen: "The capital of France is " continues with " Paris". false keeps the text's own tokens. Tokens given as a list are
   * healed only if `heal` is true.
   */
  readonly heal?: boolean;
}

/** The builders that the event `Type` allows. */
export type ActionsFor<Type extends EventType> = Pick<AllActions, (typeof allowedActions)[Type][number]>;

/** The event at which an action was built, and an Error whose stack has the author's line. */
interface Origin {
  readonly event: EventType;
  readonly builtAt: Error | null;
}

/** Every action that a builder made. Any other value that a handler returns is refused. */
const origins = new WeakMap<Action, Origin>();

/** The event and line at which an action was built; null for a value that no builder made. */
export function actionOriginOf(value: unknown): Origin | null {
  return typeof value === "object" && value !== null ? (origins.get(value as Action) ?? null) : null;
}

/** Freezes the action, and remembers the event and the line at which it was built. */
function remembered<Made extends Action>(action: Made, event: ActionBuilderContext["event"]): Made {
  const builtAt = action.type === "noop" ? null : new Error("built here");
  Object.freeze(action);
  origins.set(action, { event, builtAt });
  return action;
}

/** The field `heal` of an action: true for a text, unless the option says otherwise. */
function healing(is: ArgumentChecks, given: unknown, option: unknown): { readonly heal?: true } {
  const isHealed = option === undefined ? typeof given === "string" : is.flag(option, "heal");
  return isHealed ? { heal: true } : {};
}

/** The builders for one event. All of them exist at every event; a builder throws if the event does not allow its action. */
export function createActionBuilders(context: ActionBuilderContext): AllActions {
  const allowed: readonly ActionType[] = allowedActions[context.event];
  const check = (action: ActionType) => {
    if (!allowed.includes(action)) throw new InvalidActionError(action, context.event);
    return argumentChecksFor(action, context);
  };
  const made = <Made extends Action>(action: Made): Made => remembered(action, context.event);

  return Object.freeze({
    noop: () => made({ type: "noop" }),
    adjustPrefill(prompt, options) {
      const is = check("adjustPrefill");
      const { maxSteps, heal } = is.options(options, ["maxSteps", "heal"]);
      const limit = maxSteps === undefined ? {} : { maxSteps: is.count(maxSteps, "maxSteps", 1) };
      const read = is.prompt(prompt);
      if (read === null && maxSteps === undefined) return made({ type: "noop" });
      const changed = read ?? { tokens: context.prompt?.tokens ?? [] };
      const open = changed.messages ? {} : healing(is, prompt, heal);
      return made({ type: "adjustPrefill", ...changed, ...limit, ...open });
    },
    adjustLogits(logits, options) {
      const is = check("adjustLogits");
      const { temperature, hidden } = is.options(options, ["temperature", "hidden"]);
      return made({
        type: "adjustLogits",
        logits: is.logits(logits),
        ...(temperature !== undefined && { temperature: is.temperature(temperature) }),
        ...(hidden !== undefined && { hidden: is.flag(hidden, "hidden") }),
      });
    },
    forceTokens(tokens, options) {
      const is = check("forceTokens");
      const { hidden, heal } = is.options(options, ["hidden", "heal"]);
      return made({
        type: "forceTokens",
        tokens: is.someTokens(tokens, "return actions.noop() to force nothing."),
        ...(hidden !== undefined && { hidden: is.flag(hidden, "hidden") }),
        ...healing(is, tokens, heal),
      });
    },
    backtrack(count, tokens, options) {
      const is = check("backtrack");
      const { hidden, heal } = is.options(options, ["hidden", "heal"]);
      const steps = is.count(count, "the count", 0);
      if (steps > context.step) {
        is.refuse(
          `the count is ${steps}, but the number of output tokens is ${context.step}: the prompt cannot be removed.`,
        );
      }
      return made({
        type: "backtrack",
        count: steps,
        ...(tokens != null && { tokens: is.tokens(tokens) }),
        ...(hidden !== undefined && { hidden: is.flag(hidden, "hidden") }),
        ...healing(is, tokens, heal),
      });
    },
    forceOutput: (tokens) => made({ type: "forceOutput", tokens: check("forceOutput").tokens(tokens) }),
    toolCalls(calls) {
      const is = check("toolCalls");
      const list = Array.isArray(calls) ? calls : [calls];
      if (list.length === 0) is.refuse("there are no calls: give at least one { name, arguments }.");
      return made({ type: "toolCalls", calls: Object.freeze(list.map(is.toolCall)) });
    },
    steer: (vectors) => made({ type: "steer", vectors: check("steer").steerings(vectors) }),
    patch: (patch) => made({ type: "patch", ...check("patch").patch(patch) }),
    error(message) {
      const is = check("error");
      if (typeof message !== "string" || message === "") {
        is.refuse(`the message is ${describeValue(message)}: give a sentence for the client to read.`);
      }
      return made({ type: "error", message });
    },
  } satisfies AllActions);
}
