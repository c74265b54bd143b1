/** Where a flow goes after an answer. */
import { formatNameSuggestion, unknownKey } from "../../base/known-keys.ts";
import { isMarked, sharedSymbol } from "../../base/recognise-copies.ts";
import { describeValue } from "../../base/show.ts";
import { toolCallKeyProblem } from "../tool-call-keys.ts";
import type { Route, Target, ToolCalls } from "./flow-graph.ts";
import { isQuestion } from "./question-parts.ts";

/** A route's hidden property. */
const routeMark = sharedSymbol("route");

function route<Made extends Route>(made: Made): Made {
  return Object.freeze(Object.defineProperty(made, routeMark, { value: true }));
}

function isRoute(value: unknown): value is Route {
  return isMarked(value, routeMark);
}

interface TextOptions {
  /** true ends the request after the text. */
  readonly end?: boolean;
  /** false turns off token healing of the text. */
  readonly heal?: boolean;
}

/** Emits a text and ends the flow. The model continues after the text, unless `end` is true: then the request ends. */
export function message(text: string, options: TextOptions = {}): Route<never> {
  return route({ kind: "message", text: checkText("message", text), ...checkOptions("message", options) });
}

/**
 * Like `message`, with the given text, or else the text that `flow({ summary })` returns, or else a list of the questions'
 * names and answers, one per line.
 */
export function summary(text?: string, options: TextOptions = {}): Route<never> {
  const checked = text === undefined ? null : checkText("summary", text);
  return route({ kind: "summary", text: checked, ...checkOptions("summary", options) });
}

/** Makes this text the whole output, and finishes the request. */
export function output(text: string): Route<never> {
  if (typeof text !== "string")
    throw new TypeError(`output(...) was given ${describeValue(text)}: give a string.`);
  return route({ kind: "output", text });
}

/** Finishes the request as an assistant message with these tool calls. */
export function tool<Data = Record<string, unknown>>(calls: ToolCalls<Data>): Route<Data> {
  if (typeof calls !== "function" && (typeof calls !== "object" || calls === null)) {
    throw new TypeError(
      `tool(...) was given ${describeValue(calls)}: give { name, arguments }, a list of these, or a function that takes the state.`,
    );
  }
  for (const [place, call] of typeof calls === "function" ? [] : [calls].flat().entries()) {
    const given = Object(call);
    const problem = toolCallKeyProblem(given, given.function, place);
    if (problem !== null) throw new TypeError(`tool(...): ${problem}`);
  }
  return route({ kind: "tool", calls } as Route) as Route<Data>;
}

/** Ends the flow without emitting anything. The model continues. */
export function end(): Route<never> {
  return route({ kind: "end" });
}

/** @throws TypeError for a value that is no target of a flow. */
export function checkTarget(where: string, target: unknown): void {
  if (typeof target === "string" || typeof target === "function") return;
  if (isQuestion(target as Target) || isRoute(target)) return;
  throw new TypeError(
    `${where} leads to ${describeValue(target)}: give a question, message(…), summary(…), output(…), tool(…), end(), a text, or a function that takes the state and returns one of these.`,
  );
}

function checkText(what: string, text: unknown): string {
  if (typeof text === "string" && text !== "") return text;
  throw new TypeError(
    `${what}(...) was given ${describeValue(text)}: give a string. To emit nothing, use end().`,
  );
}

const textOptions = ["end", "heal"] as const satisfies readonly (keyof TextOptions)[];

function checkOptions(what: string, options: unknown): { readonly end: boolean; readonly heal: boolean } {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${what}(...): the options are ${describeValue(options)}: give { end: true }.`);
  }
  const unknown = unknownKey(options, textOptions);
  if (unknown !== undefined) {
    throw new TypeError(
      `${what}(...) has no option "${unknown}". ${formatNameSuggestion(unknown, textOptions)}`,
    );
  }
  const { end: isEnd = false, heal = true } = options as { end?: unknown; heal?: unknown };
  return { end: checkFlag(what, "end", isEnd), heal: checkFlag(what, "heal", heal) };
}

function checkFlag(what: string, name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new TypeError(`${what}(...): "${name}" is ${describeValue(value)}: give true or false.`);
}
