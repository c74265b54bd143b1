/** The messages between the two ends of a live run, as JSON. Incoming messages are checked here and rebuilt field by field. */
import { isRecord } from "../../core/base/record.ts";
import { TRACE_VERSION, type TraceRecord } from "../../core/trace/format/format.ts";
import { LiveError } from "./limits.ts";
import type { SharerProof } from "./proof.ts";

/** The version of this protocol. */
export const LIVE_VERSION = 1;

/** A message from the sharer. */
export type SharerMessage =
  /**
   * The first message. `trace`: the trace version of the records that follow. `proof`: shows that the page that made the link is
   * the sender.
   */
  | { readonly type: "hello"; readonly live: number; readonly trace: number; readonly proof: SharerProof }
  /** A run begins, or is in progress already: all of its records follow. */
  | { readonly type: "run" }
  /** The next records of the run, at least one. The records are unchecked here (`watching.ts` checks them). */
  | { readonly type: "records"; readonly records: readonly unknown[] }
  | { readonly type: "paused"; readonly isPaused: boolean }
  /** The run has ended. `failure`: why it failed; null if it did not fail. */
  | { readonly type: "ended"; readonly failure: string | null }
  /** The last message. */
  | { readonly type: "over"; readonly why: (typeof sharingEndReasons)[number] };

/** A message from a watcher. */
export type WatcherMessage =
  /** The first message. `nonce`: a random number for the sharer to sign. `proof`: shows that the watcher has the link. */
  | { readonly type: "watch"; readonly live: number; readonly nonce: string; readonly proof: string }
  /** The watcher has read `messages` further messages, at least one. */
  | { readonly type: "taken"; readonly messages: number };

/** "stopped": the sharer stopped sharing. "full": the number of watchers is at its limit. */
export const sharingEndReasons = ["stopped", "full"] as const;

export const helloMessage = (proof: SharerProof): SharerMessage => ({
  type: "hello",
  live: LIVE_VERSION,
  trace: TRACE_VERSION,
  proof,
});

export const serializeMessage = (message: SharerMessage | WatcherMessage): string => JSON.stringify(message);

/** Makes a `records` message from records that are already JSON texts. */
export const serializeRecordsMessage = (records: readonly string[]): string =>
  `{"type":"records","records":[${records.join(",")}]}`;

/** The JSON of one record. */
export const serializeRecord = (record: TraceRecord): string => JSON.stringify(record);

/** The longest failure text that is accepted, in UTF-16 units. */
const longestFailure = 65_536;

/** @throws LiveError for anything that is not a valid message of a sharer */
export function parseSharerMessage(text: string): SharerMessage {
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
      const why = sharingEndReasons.find((reason) => reason === value.why);
      if (why === undefined) throw noMessage();
      return { type: "over", why };
    }
    default:
      throw noMessage();
  }
}

function parseHello({ live, trace, proof }: Readonly<Record<string, unknown>>): SharerMessage {
  if (!isVersion(live) || !isVersion(trace)) throw noMessage();
  if (live > LIVE_VERSION || trace > TRACE_VERSION)
    throw new LiveError(
      "The run was made by a newer version of Midtoken. Reload the page to get the newest version, and open the link again.",
    );
  if (!isRecord(proof)) throw noMessage();
  const { key, signature } = proof;
  if (typeof key !== "string" || typeof signature !== "string") throw noMessage();
  return { type: "hello", live, trace, proof: { key, signature } };
}

/** @throws LiveError for anything that is not a valid message of a watcher */
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
