/** The messages between the two ends of a live run, as JSON. Each incoming message is checked here and built anew. */
import { isRecord } from "../../core/base/record.ts";
import { TRACE_VERSION, type TraceRecord } from "../../core/trace/format/format.ts";
import { LiveError } from "./limits.ts";
import type { SharerProof } from "./proof.ts";

/** The version of these messages. */
export const LIVE_VERSION = 1;

/** From the sharer. */
export type LiveMessage =
  /** Comes first. `trace`: the version of the records that follow. `proof`: that the page which made the link answers. */
  | { readonly type: "hello"; readonly live: number; readonly trace: number; readonly proof: SharerProof }
  /** A run begins, or is already going on: all of its records follow. */
  | { readonly type: "run" }
  /** The next records of the run, one at least. They are as they came: nothing in them is checked. */
  | { readonly type: "records"; readonly records: readonly unknown[] }
  | { readonly type: "paused"; readonly isPaused: boolean }
  /** The run has ended. `failure`: why it failed, or null. */
  | { readonly type: "ended"; readonly failure: string | null }
  /** Comes last. */
  | { readonly type: "over"; readonly why: (typeof overReasons)[number] };

/** From a watcher. */
export type WatcherMessage =
  /** Comes first. `nonce`: a random number for the sharer to sign. `proof`: that the watcher has the link. */
  | { readonly type: "watch"; readonly live: number; readonly nonce: string; readonly proof: string }
  /** The watcher has read the next `messages` messages, one at least. */
  | { readonly type: "taken"; readonly messages: number };

/** "stopped": the sharer stopped. "full": as many watch as may. */
export const overReasons = ["stopped", "full"] as const;

export const helloOf = (proof: SharerProof): LiveMessage => ({
  type: "hello",
  live: LIVE_VERSION,
  trace: TRACE_VERSION,
  proof,
});

export const messageText = (message: LiveMessage | WatcherMessage): string => JSON.stringify(message);

/** The message of records that are written as JSON already. */
export const recordsText = (records: readonly string[]): string =>
  `{"type":"records","records":[${records.join(",")}]}`;

/** The JSON of one record. */
export const recordText = (record: TraceRecord): string => JSON.stringify(record);

/** The longest text that is accepted of why a run failed, in UTF-16 units. */
const longestFailure = 65_536;

/** @throws LiveError for whatever is no message of a sharer. */
export function parseLiveMessage(text: string): LiveMessage {
  const value = parseJson(text);
  switch (value.type) {
    case "hello":
      return parseHello(value);
    case "run":
      return { type: "run" };
    case "records":
      if (!Array.isArray(value.records) || value.records.length === 0) throw noMessage();
      return { type: "records", records: value.records };
    case "paused":
      if (typeof value.isPaused !== "boolean") throw noMessage();
      return { type: "paused", isPaused: value.isPaused };
    case "ended": {
      const { failure } = value;
      if (failure !== null && (typeof failure !== "string" || failure.length > longestFailure))
        throw noMessage();
      return { type: "ended", failure };
    }
    case "over": {
      const why = overReasons.find((reason) => reason === value.why);
      if (why === undefined) throw noMessage();
      return { type: "over", why };
    }
    default:
      throw noMessage();
  }
}

function parseHello({ live, trace, proof }: Readonly<Record<string, unknown>>): LiveMessage {
  if (!isVersion(live) || !isVersion(trace)) throw noMessage();
  if (live > LIVE_VERSION || trace > TRACE_VERSION)
    throw new LiveError(
      "The run was made by a newer Midtoken. Reload the page to get the newest version, and open the link again.",
    );
  if (!isRecord(proof)) throw noMessage();
  const { key, signature } = proof;
  if (typeof key !== "string" || typeof signature !== "string") throw noMessage();
  return { type: "hello", live, trace, proof: { key, signature } };
}

/** @throws LiveError for whatever is no message of a watcher. */
export function parseWatcherMessage(text: string): WatcherMessage {
  const value = parseJson(text);
  if (value.type === "taken") {
    const { messages } = value;
    if (!Number.isSafeInteger(messages) || (messages as number) < 1) throw noMessage();
    return { type: "taken", messages: messages as number };
  }
  const { type, live, nonce, proof } = value;
  const isDigits = (given: unknown, length: number): given is string =>
    typeof given === "string" && given.length === length && /^[0-9a-f]+$/.test(given);
  if (type !== "watch" || !isVersion(live) || !isDigits(nonce, 32) || !isDigits(proof, 64)) throw noMessage();
  return { type: "watch", live, nonce, proof };
}

const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;

const noMessage = () => new LiveError("The page received a message that does not belong to a live run.");

function parseJson(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw noMessage();
  }
  if (!isRecord(value)) throw noMessage();
  return value;
}
