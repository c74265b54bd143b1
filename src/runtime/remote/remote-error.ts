/** Errors between this program and a server that runs a model. */
import { isRecord } from "../../core/base/record.ts";
import type { UpstreamCode } from "../../core/decoder/ports/language-model.ts";

/** Kinds of faults, for callers that treat them differently. */
export type RemoteFault =
  | "address"
  | "unreachable"
  | "cors"
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
  | "settings"
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

const upstreamCodes = {
  address: "upstream_unavailable",
  unreachable: "upstream_unavailable",
  cors: "upstream_unavailable",
  loading: "upstream_unavailable",
  busy: "upstream_unavailable",
  key: "upstream_failed",
  redirect: "upstream_failed",
  refused: "upstream_failed",
  server: "upstream_failed",
  broken: "upstream_failed",
  large: "upstream_failed",
  json: "upstream_failed",
  shape: "upstream_failed",
  settings: "upstream_failed",
  tokenizer: "upstream_failed",
} as const satisfies Record<RemoteFault, UpstreamCode>;

/** The code of a request that ended with this error of its server. */
export function upstreamCodeOf(error: unknown): UpstreamCode {
  return error instanceof RemoteEngineError ? upstreamCodes[error.fault] : "upstream_failed";
}

/**
 * The message for clients and traces, which do not contain the addresses of servers: "http://engine-1:9931 failed (500)" becomes
 * "The model server failed (500)".
 */
export function withoutAddresses(message: string, origins: readonly string[]): string {
  let text = message;
  // One address may begin with another one: http://engine:80 and http://engine:8080.
  for (const origin of origins.toSorted((a, b) => b.length - a.length))
    text = text.replaceAll(`at ${origin}`, "at the address of the model server").replaceAll(origin, aServer);
  return text.startsWith(aServer) ? `The${text.slice(3)}` : text;
}

const aServer = "the model server";

/** A sentence for errors about an answer that no such server gives. @param expected such as "a vLLM server" */
export function checkAddress(expected: string): string {
  return `Check that this is the address of ${expected}.`;
}

/** A field of an answer is missing or has a value that this program does not understand. */
export function shapeError(path: string, field: string, expected: string, found: unknown): RemoteEngineError {
  return new RemoteEngineError(
    "shape",
    `The server's response to ${path} was not understood: ${field} is ${shownValue(found)}, but ${expected} was expected. Check that this is the address of a llama.cpp server, version b11669 or newer.`,
  );
}

/** A stream whose connection ended before its last event. */
export function streamEndedEarlyError(origin: string): RemoteEngineError {
  return new RemoteEngineError(
    "broken",
    `The connection to ${origin} ended in the middle of a response. If the server was stopped, start it again; then run again.`,
  );
}

/** @param expected such as "a vLLM server" */
export function streamNotJsonError(origin: string, expected: string, cause: unknown): RemoteEngineError {
  return new RemoteEngineError(
    "json",
    `An event in the stream from ${origin} is not JSON. ${checkAddress(expected)}`,
    cause,
  );
}

/** The server wrote an error into its stream. */
export function streamFailedError(origin: string, error: unknown): RemoteEngineError {
  return new RemoteEngineError(
    "server",
    `${origin} failed in the middle of a response${quotedMessage(error)}. Look at the server's log, then run again.`,
  );
}

/** Characters of a server's message that an error quotes. */
const mostQuoted = 300;

/** The server's reason, `{ message }`, shortened and without control characters. */
export function quotedMessage(error: unknown): string {
  const message = isRecord(error) ? error.message : undefined;
  if (typeof message !== "string" || message === "") return "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a server's text may contain some.
  const plain = message.replace(/[\u0000-\u001f\u007f]+/g, " ").replace(/\.\s*$/, "");
  return `: ${plain.length > mostQuoted ? `${plain.slice(0, mostQuoted)}…` : plain}`;
}

const mostShown = 60;

/** A value of an answer, shortened, for errors. */
export function shownValue(value: unknown): string {
  if (value === undefined) return "missing";
  const text = jsonOf(value);
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // JSON.parse reads lists in lists to any depth, and JSON.stringify writes a few thousand.
    return "a deeply nested value";
  }
}
