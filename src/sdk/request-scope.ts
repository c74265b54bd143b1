/**
 * Which request a handler is working for, and what belongs to it. The runner opens the scope around each
 * call of a handler; a runner asks its mod one event at a time, so that the scope also holds after an `await`.
 */
import type { Message } from "./request.ts";

/** A value of its own for every request. */
export interface RequestState<Value> {
  /** The value of the request whose event is being handled. @throws Error outside a handler. */
  current: Value;
}

const conversations = new Map<string, readonly Message[]>();
const states = new Set<Map<string, unknown>>();
let currentRequest: string | null = null;

/**
 * Declares a value that every request gets afresh, and that the runtime drops when the request has finished.
 * Call it at the top of the file, once: `const seen = requestState(() => "");`, then read and write `seen.current`.
 * @throws Error inside a handler, and for an argument that is not a function.
 */
export function requestState<Value>(initial: () => Value): RequestState<Value> {
  if (typeof initial !== "function") {
    throw new Error("requestState needs a function that makes the first value: requestState(() => 0).");
  }
  if (currentRequest !== null) {
    throw new Error("requestState was called inside a handler: call it once, at the top of the file.");
  }
  const values = new Map<string, Value>();
  states.add(values);
  return Object.freeze({
    get current(): Value {
      const requestId = requireRequest("requestState(...).current");
      if (!values.has(requestId)) values.set(requestId, initial());
      return values.get(requestId) as Value;
    },
    set current(value: Value) {
      values.set(requireRequest("requestState(...).current"), value);
    },
  });
}

/**
 * The messages of the request whose event is being handled, as the client sent them.
 * @throws Error outside a handler.
 */
export function getConversation(): readonly Message[] {
  const messages = conversations.get(requireRequest("getConversation()"));
  if (messages === undefined) {
    throw new Error(
      "getConversation() has nothing to give: the request's messages were not sent. They are sent when the mod's source calls getConversation by this name.",
    );
  }
  return messages;
}

/** True once a mod declared request state: its host must then say when a request has finished. */
export function hasRequestState(): boolean {
  return states.size > 0;
}

/** Keeps the messages of a request for `getConversation`. */
export function rememberConversation(requestId: string, messages: readonly Message[]): void {
  conversations.set(requestId, messages);
}

/** Drops everything that belongs to a request. */
export function forgetRequest(requestId: string): void {
  conversations.delete(requestId);
  for (const values of states) values.delete(requestId);
}

/** Runs `work` as the given request; the scope closes when its promise settles. */
export async function withinRequest<Result>(
  requestId: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  currentRequest = requestId;
  try {
    return await work();
  } finally {
    currentRequest = null;
  }
}

function requireRequest(what: string): string {
  if (currentRequest === null) {
    throw new Error(`${what} belongs to a request: read it inside a handler, not at the top of the file.`);
  }
  return currentRequest;
}
