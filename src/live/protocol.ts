/** What the two ends of a live run say to each other, as JSON. Whatever comes is checked here, and built anew. */
import { isRecord } from "../base/record.ts";
import { TRACE_VERSION, type TraceRecord } from "../trace/format.ts";
import { LiveError } from "./limits.ts";

/** The version of these messages. */
export const LIVE_VERSION = 1;

/** From whoever shares. */
export type LiveMessage =
  /** First of all. `trace`: the version of the records that follow. */
  | { readonly type: "hello"; readonly live: number; readonly trace: number }
  /** A run begins, or the run that goes on already: all of its records follow. */
  | { readonly type: "run" }
  /** The next records of the run. They are as they came: nothing of them is checked. */
  | { readonly type: "records"; readonly records: readonly unknown[] }
  | { readonly type: "paused"; readonly isPaused: boolean }
  /** The run has ended. `failure`: why it broke down, or null. */
  | { readonly type: "ended"; readonly failure: string | null }
  /** Last of all. */
  | { readonly type: "over"; readonly why: (typeof overReasons)[number] };

/** "stopped": whoever shared stopped it. "full": as many watch as may. */
export const overReasons = ["stopped", "full"] as const;

export const hello: LiveMessage = { type: "hello", live: LIVE_VERSION, trace: TRACE_VERSION };

export const messageText = (message: LiveMessage): string => JSON.stringify(message);

/** The message of records that are written as JSON already. */
export const recordsText = (records: readonly string[]): string =>
  `{"type":"records","records":[${records.join(",")}]}`;

/** The JSON of one record. */
export const recordText = (record: TraceRecord): string => JSON.stringify(record);

/** The longest text that is taken of why a run broke down, in UTF-16 units. */
const longestFailure = 65_536;

/** @throws LiveError for whatever is no message. */
export function parseLiveMessage(text: string): LiveMessage {
  const value = parseJson(text);
  switch (value.type) {
    case "hello": {
      const { live, trace } = value;
      if (!isVersion(live) || !isVersion(trace)) throw noMessage();
      if (live > LIVE_VERSION || trace > TRACE_VERSION)
        throw new LiveError(
          "The run is made by a newer Midtoken. Reload the page to get the newest, and open the link again.",
        );
      return { type: "hello", live, trace };
    }
    case "run":
      return { type: "run" };
    case "records":
      if (!Array.isArray(value.records)) throw noMessage();
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

/** From a watcher, once: that it has the link. Whoever leads the ends to each other knows only what `sha256` makes of the room. */
export const greetingText = (room: string): string =>
  JSON.stringify({ type: "watch", live: LIVE_VERSION, room });

/** @throws LiveError unless the text greets as one who knows the room. */
export function checkGreeting(text: string, room: string): void {
  const value = parseJson(text);
  if (value.type !== "watch" || !isVersion(value.live) || value.room !== room)
    throw new LiveError("A watcher did not greet as one who has the link.");
}

const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;

const noMessage = () => new LiveError("What came is no message of a live run.");

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
