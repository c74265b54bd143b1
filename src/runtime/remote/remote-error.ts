/** Errors between this program and a server that runs a model. */

/** Kinds of faults, for callers that treat them differently. */
export type RemoteFault =
  | "address"
  | "unreachable"
  | "loading"
  | "busy"
  | "key"
  | "redirect"
  | "refused"
  | "server"
  | "broken"
  | "large"
  | "json"
  | "shape"
  | "tokenizer";

/** The message says what happened, and then what to do. It never contains the key. */
export class RemoteEngineError extends Error {
  override readonly name = "RemoteEngineError";
  readonly fault: RemoteFault;

  constructor(fault: RemoteFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** A field of an answer is missing or has a value that this program does not understand. */
export function shapeError(path: string, field: string, expected: string, found: unknown): RemoteEngineError {
  return new RemoteEngineError(
    "shape",
    `The server's answer to ${path} was not understood: ${field} is ${show(found)}, and ${expected} was expected. Check that the address is that of a llama.cpp server of version b11669 or newer.`,
  );
}

const mostShown = 60;

function show(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}
