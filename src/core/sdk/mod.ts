/** `mod(...)` makes the value that a mod's file exports. */
import { formatNameSuggestion, unknownKey } from "../base/known-keys.ts";
import { isMarked, sharedSymbol } from "../base/recognise-copies.ts";
import { describeValue } from "../base/show.ts";
import type { Action, ActionFor } from "./action.ts";
import type { ActionsFor, AllActions } from "./actions.ts";
import { type ActivationNeeds, activationNeedsOf, type LayerList } from "./activation-needs.ts";
import { type EventOf, type EventType, eventTypes, type ModEvent } from "./event.ts";
import type { Tokenizer } from "./tokenizer.ts";

export type { ActivationNeeds, LayerList };

/** Number of top-k tokens in a `forwardPass` event if the mod reads `topK` and declares no other number. */
export const defaultTopK = 64;
/** The largest `topK` that a mod may declare. */
export const maximumTopK = 1024;

/** The return value of a handler: an action, now or later; nothing means noop. */
type HandlerResult<Allowed extends Action> = Nothing | Allowed | Promise<Nothing | Allowed>;

/** `void` stands for a handler without any `return`, which the editor's TypeScript does not read as `undefined`. */
// biome-ignore lint/suspicious/noConfusingVoidType: it is a return type, through an alias.
type Nothing = null | undefined | void;

/** Handles one type of event; `actions` has only the builders that this event allows. */
export type Handler<Type extends EventType> = (
  event: EventOf<Type>,
  actions: ActionsFor<Type>,
  tokenizer: Tokenizer,
) => HandlerResult<ActionFor<Type>>;

/** Handles every event: narrow by `event.type`. An action that the event does not allow throws InvalidActionError. */
export type ModFunction = (
  event: ModEvent,
  actions: AllActions,
  tokenizer: Tokenizer,
) => HandlerResult<Action>;

/** The greatest `maxBacktrack` that a mod may declare: longer than any context. */
export const greatestMaxBacktrack = 1_000_000;

/** The options of a mod. */
export interface ModOptions {
  /** The name that the trace shows. */
  readonly name?: string;
  /** Number of top-k tokens sent with each `forwardPass`, up to 1,024; by default 64, or 0 if the source never names `topK`. */
  readonly topK?: number;
  /** True sends all logits with each `forwardPass`. Not needed if the source reads `event.logits`. */
  readonly logits?: boolean;
  /** Layers that the mod steers or patches, or whose hidden states it reads, from 0; "all" for every layer. They are opened for the request. */
  readonly layers?: LayerList;
  /** Layers whose predictions the mod reads with `event.lens`; "all" for every layer. */
  readonly lens?: LayerList;
  /**
   * The most tokens that the mod removes from the output's end. A token is safe once this many visible tokens followed it,
   * even if some of these were removed, so streams hold back only this many tokens. Removed hidden tokens do not count.
   */
  readonly maxBacktrack?: number;
}

/** A handler for each event that the mod needs. Other events are not sent to the mod. */
export type ModHandlers = { readonly [Type in EventType]?: Handler<Type> };

/** The data that a mod needs with each `forwardPass`, and how far the mod may go back. */
export interface ModNeeds {
  readonly topK: number;
  readonly logits: boolean;
  /** Absent if the mod uses no layers: the model may then be loaded without them. */
  readonly activations?: ActivationNeeds;
  /** Absent if the mod did not say how far it goes back. */
  readonly maxBacktrack?: number;
}

/** A mod: made by `mod(...)`, run by the engine. */
export interface Mod {
  readonly name: string | null;
  /** The events that the mod handles, in the order in which they first occur in a request. */
  readonly handles: readonly EventType[];
  readonly needs: ModNeeds;
  /** Handles one of these events. */
  readonly handler: ModFunction;
}

/** A mod without a sandbox: the mod, or a function that runs the mod's file and returns its exports, called for each request. */
export type TrustedMod = Mod | (() => Readonly<Record<string, unknown>>);

/** A mod's hidden property, whose value is the definition that was passed to `mod(...)`. */
const definitionOf = sharedSymbol("mod");

/** True for a value that `mod(...)` made, in this copy of the package or in another. */
export function isMod(value: unknown): value is Mod {
  return isMarked(value, definitionOf);
}

/** The code of a mod's handlers, for the trace of a mod whose source file is not known. */
export function modHandlersSource(mod: Mod): string {
  const definition = (mod as unknown as Record<symbol, ModHandlers | ModFunction>)[definitionOf];
  if (typeof definition !== "object") return String(definition);
  const handlers = mod.handles.map((type) => `${type}: ${String(definition[type])}`);
  return handlers.join(",\n\n");
}

/**
 * Makes a mod, from one handler per event or from one function for all of them.
 * @throws TypeError for an unknown handler or option, or one of the wrong type; the message lists the known names.
 */
export function mod(definition: (ModHandlers & ModOptions) | ModFunction, options: ModOptions = {}): Mod {
  if (typeof definition === "function") {
    checkNames(options, optionNames, "option");
    return create(definition, definition, eventTypes, options);
  }
  if (typeof definition !== "object" || definition === null) {
    throw new TypeError(
      `mod(...) was given ${describeValue(definition)}: give an object of handlers or a function.`,
    );
  }
  checkNames(definition, [...eventTypes, ...optionNames], "handler");
  const handles = eventTypes.filter((type) => definition[type] !== undefined);
  if (handles.length === 0) {
    throw new TypeError(`mod(...) was given no handler: write at least one of ${eventTypes.join(", ")}.`);
  }
  for (const type of handles) {
    if (typeof definition[type] !== "function") {
      throw new TypeError(`mod(...): "${type}" is ${describeValue(definition[type])}: give a function.`);
    }
  }
  return create(definition, dispatch(definition), handles, definition);
}

const optionNames = [
  "name",
  "topK",
  "logits",
  "layers",
  "lens",
  "maxBacktrack",
] as const satisfies readonly (keyof ModOptions)[];

function create(
  definition: ModHandlers | ModFunction,
  handler: ModFunction,
  handles: readonly EventType[],
  options: ModOptions,
): Mod {
  const { name = null, topK = defaultTopK, logits = false, maxBacktrack } = options;
  if (name !== null && typeof name !== "string") {
    throw new TypeError(`mod(...): "name" is ${describeValue(name)}: give a string.`);
  }
  if (!Number.isInteger(topK) || topK < 0 || topK > maximumTopK) {
    throw new TypeError(
      `mod(...): "topK" is ${describeValue(topK)}: give a whole number from 0 to ${maximumTopK}.`,
    );
  }
  if (typeof logits !== "boolean") {
    throw new TypeError(`mod(...): "logits" is ${describeValue(logits)}: give true or false.`);
  }
  checkMaxBacktrack(maxBacktrack);
  const reads = handles.includes("forwardPass");
  const activations = activationNeedsOf(options, reads);
  const needs: ModNeeds = {
    topK: reads ? topK : 0,
    logits: reads && logits,
    ...(activations && { activations }),
    ...(maxBacktrack !== undefined && { maxBacktrack }),
  };
  const created: Mod = {
    name,
    handles: Object.freeze([...handles]),
    needs: Object.freeze(needs),
    handler,
  };
  return Object.freeze(Object.defineProperty(created, definitionOf, { value: definition }));
}

function checkMaxBacktrack(value: unknown): void {
  if (value === undefined) return;
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0;
  if (isCount && value <= greatestMaxBacktrack) return;
  throw new TypeError(
    `mod(...): "maxBacktrack" is ${describeValue(value)}: give a whole number from 0 to ${greatestMaxBacktrack}.`,
  );
}

/** One function from many handlers. The event's type picks the handler, and with it the type of `actions`. */
function dispatch(handlers: ModHandlers): ModFunction {
  return (event, actions, tokenizer) => {
    const handler = handlers[event.type] as ModFunction | undefined;
    return handler?.call(handlers, event, actions, tokenizer);
  };
}

function checkNames(value: object, names: readonly string[], what: string): void {
  const unknown = unknownKey(value, names);
  if (unknown === undefined) return;
  throw new TypeError(`mod(...) has no ${what} "${unknown}". ${formatNameSuggestion(unknown, names)}`);
}
