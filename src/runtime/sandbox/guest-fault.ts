/** A mod's fault for the engine: message, stack, and the first position in the mod's own file. */
import { InvalidActionError } from "../../core/sdk/action.ts";
import { messageLimits, type SourcePosition, type WireFault } from "./protocol.ts";

/** `label` is the name of the mod's file in stack traces. */
export function toWireFault(thrown: unknown, label: string, at: SourcePosition | null = null): WireFault {
  const stack = stackOf(thrown);
  return {
    kind: thrown instanceof InvalidActionError ? "invalid-action" : "threw",
    message: sentenceOf(thrown).slice(0, messageLimits.message),
    stack: stack.slice(0, messageLimits.stack),
    position: at ?? positionIn(stack, label),
  };
}

/** The first position in the mod's file that a stack names; null if it names none. */
export function positionIn(stack: string, label: string): SourcePosition | null {
  for (let from = stack.indexOf(`${label}:`); from >= 0; from = stack.indexOf(`${label}:`, from + 1)) {
    const [, line, column] =
      /^:(\d{1,7}):(\d{1,7})/.exec(stack.slice(from + label.length, from + label.length + 20)) ?? [];
    if (line !== undefined) return { line: Number(line), column: Number(column) };
  }
  return null;
}

/** The stack of a thrown value; empty if it cannot be read: a mod may throw any value, and reading a field of an error may throw again. */
export function stackOf(thrown: unknown): string {
  try {
    return thrown instanceof Error && typeof thrown.stack === "string" ? thrown.stack : "";
  } catch {
    return "";
  }
}

const outOfMemory =
  "The mod threw null, because its memory is full or because its code throws null. Store less in variables, and throw only Error objects.";

function sentenceOf(thrown: unknown): string {
  try {
    // QuickJS throws null if it has no memory for an error.
    if (thrown === null) return outOfMemory;
    if (!(thrown instanceof Error)) return `The mod threw ${String(thrown)}, which is not an Error.`;
    // The message is empty if QuickJS has no memory for it.
    if (thrown.name === "InternalError" && thrown.message === "")
      return "InternalError: out of memory. Store less in variables.";
    return thrown instanceof InvalidActionError
      ? String(thrown.message)
      : `${thrown.name}: ${thrown.message}`;
  } catch {
    return "The mod threw a value that cannot be read: throw an Error instead.";
  }
}
