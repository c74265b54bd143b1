/**
 * The request that a handler works for, and the state that belongs to it. The runner opens the scope around each call of a
 * handler; it asks its mod about one event at a time, so the scope also holds after an `await`.
 */
import { sharedValue } from "../base/recognise-copies.ts";
import type { Message, ResponseFormat, ToolDefinition } from "./request.ts";

/** A value that each request has separately. */
export interface RequestState<Value> {
  /** The value of the request whose event is being handled. @throws Error outside a handler. */
  current: Value;
}

/** The client's request, without the sampling settings. */
export interface ClientConversation {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly responseFormat: ResponseFormat | null;
}

/** A value for each request, by the request's id. */
export interface RequestStore<Value> {
  /** The value of a request (by default, the request whose event is being handled), created when it is first read. @throws Error outside a handler. */
  of(requestId?: string): Value;
  /** Like `of`, but null if there is no value yet. */
  find(requestId?: string): Value | null;
}

interface RequestScope {
  readonly clientConversations: Map<string, ClientConversation>;
  /** The values of each declaration; and the request in whose handler it was made, with which the values are dropped, or null. */
  readonly states: Map<Map<string, unknown>, string | null>;
  currentRequest: string | null;
  /** The handler of a trusted mod that is running; see `takeTurn`. */
  lastTurn: Promise<unknown>;
}

/**
 * Shared, because the engine may come from one copy of the package and the code of a trusted mod from another. The number in
 * the name rises whenever the fields of `RequestScope` change: copies of other versions then have a scope of their own.
 */
const scope = sharedValue(
  "request-scope.1",
  (): RequestScope => ({
    clientConversations: new Map(),
    states: new Map(),
    currentRequest: null,
    lastTurn: Promise.resolve(),
  }),
);
const { clientConversations, states } = scope;

/**
 * Declares a value that is created anew for every request, and dropped when the request has finished. Call it at the top of
 * the file, once: `const seen = requestState(() => "");`, then read and write `seen.current`.
 * @throws Error inside a handler, and for an argument that is not a function.
 */
export function requestState<Value>(initial: () => Value): RequestState<Value> {
  if (typeof initial !== "function") {
    throw new Error("requestState needs a function that makes the first value: requestState(() => 0).");
  }
  if (scope.currentRequest !== null) {
    throw new Error("requestState was called inside a handler: call it once, at the top of the file.");
  }
  const store = createRequestStore(initial, "requestState(...).current");
  return Object.freeze({
    get current(): Value {
      return store.of();
    },
    set current(value: Value) {
      store.set(value);
    },
  });
}

/** Like `requestState`, for the SDK itself. Unlike it, this may also be called inside a handler; the store is then dropped when that handler's request ends. */
export function createRequestStore<Value>(
  initial: () => Value,
  what: string,
): RequestStore<Value> & { set(value: Value): void } {
  const values = new Map<string, Value>();
  states.set(values, scope.currentRequest);
  const idOf = (requestId?: string) => requestId ?? requireRequest(what);
  return {
    of(requestId) {
      const id = idOf(requestId);
      if (!values.has(id)) values.set(id, initial());
      return values.get(id) as Value;
    },
    find: (requestId) => values.get(idOf(requestId)) ?? null,
    set: (value) => void values.set(idOf(), value),
  };
}

/**
 * The messages of the request whose event is being handled, as the client sent them.
 * @throws Error outside a handler.
 */
export function getConversation(): readonly Message[] {
  return clientRequest("getConversation").messages;
}

/** The client's request whose event is being handled. @throws Error outside a handler, naming `reader`. */
export function clientRequest(reader: string): ClientConversation {
  const request = clientConversations.get(requireRequest(`${reader}()`));
  if (request !== undefined) return request;
  throw new Error(
    `${reader}() has no value: Midtoken sends the request only to mods whose source contains the name ${reader}. Call the function by this name.`,
  );
}

/** True once a mod has declared request state: its host must then report the end of each request. */
export function hasDeclaredRequestStates(): boolean {
  return states.size > 0;
}

/** Stores a client's request for `getConversation` and similar functions. */
export function rememberRequest(requestId: string, request: ClientConversation): void {
  clientConversations.set(requestId, request);
}

/** Drops everything that belongs to a request. */
export function forgetRequest(requestId: string): void {
  clientConversations.delete(requestId);
  for (const [values, owner] of states) {
    values.delete(requestId);
    if (owner === requestId) states.delete(values);
  }
}

/** Calls `load`, which runs a mod's file. `drop` removes the request state that the file has declared. */
export function trackStates<Result>(load: () => Result): { readonly result: Result; drop(): void } {
  const before = new Set(states.keys());
  const result = load();
  const declared = [...states.keys()].filter((values) => !before.has(values));
  return {
    result,
    drop() {
      for (const values of declared) states.delete(values);
    },
  };
}

/** Runs `work` as the given request; the scope closes when its promise settles. */
export async function withinRequest<Result>(
  requestId: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  scope.currentRequest = requestId;
  try {
    return await work();
  } finally {
    // If a request was ended in the middle of a handler, another request may have begun by now.
    if (scope.currentRequest === requestId) scope.currentRequest = null;
  }
}

/**
 * Calls `work` after the work of all earlier calls has settled. The scope is one for the thread, so the trusted mods of this
 * thread reply one after the other.
 */
export function takeTurn(work: () => Promise<unknown>): void {
  scope.lastTurn = scope.lastTurn.then(work, work);
}

function requireRequest(what: string): string {
  if (scope.currentRequest === null) {
    throw new Error(`${what} belongs to a request: read it inside a handler, not at the top of the file.`);
  }
  return scope.currentRequest;
}
