/**
 * The messages between the page and the signalling server, over a WebSocket. The server passes a watcher's offer to the sharer,
 * and the sharer's answer back. Each is a single message, because both ends first gather all of their addresses.
 *
 * A sharer opens `?share=NAME`, a watcher `?watch=NAME`. The name is a hash of the room, so the server never learns the room.
 */
import { isRecord } from "../../core/base/record.ts";
import { sha256 } from "../../core/base/sha256.ts";
import { sessionDescriptionLimits } from "./session-description.ts";

/** The largest number of characters of a message: a session description as JSON, with escaped line ends. */
export const maxMessageCharacters = sessionDescriptionLimits.characters + 2_048;

/** The reasons for which the server closes a socket. */
export const closeCodes = {
  /** The client sent an invalid message. */
  refused: 4400,
  /** No sharer has this name. */
  nobody: 4404,
  /** Another sharer has this name already. */
  taken: 4409,
  /** Too many clients ask at present: ask again in one or two seconds. */
  busy: 4429,
} as const;

/** A watcher sends its offer without the number; the server adds the number and passes the offer to the sharer. */
export interface Offer {
  /** The number that the server gave the watcher. */
  readonly watcher: number;
  readonly offer: string;
}

/**
 * A sharer sends its answer with the number; the server passes the answer to the watcher without the number. `answer`: null if
 * the watcher should ask again later.
 */
export interface SharerAnswer {
  readonly watcher: number;
  readonly answer: string | null;
}

/** The name by which the server knows the room. */
export const hashRoomName = (room: string): string => sha256(`midtoken live name ${room}`).slice(0, 32);

export const isHashedRoomName = (name: unknown): name is string =>
  typeof name === "string" && /^[0-9a-f]{32}$/.test(name);

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;
const isText = (value: unknown): value is string => typeof value === "string";

/** @returns null unless the data is a JSON object of bounded length */
function parse(data: unknown): Readonly<Record<string, unknown>> | null {
  if (!isText(data) || data.length > maxMessageCharacters) return null;
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function parseOffer(data: unknown): Offer | null {
  const { watcher, offer } = parse(data) ?? {};
  return isNumber(watcher) && isText(offer) ? { watcher, offer } : null;
}

export function parseAnswer(data: unknown): SharerAnswer | null {
  const { watcher, answer } = parse(data) ?? {};
  return isNumber(watcher) && (isText(answer) || answer === null) ? { watcher, answer } : null;
}

/** Reads the session description in a message from or to a watcher. */
export function parseDescription(data: unknown, name: "offer" | "answer"): string | null {
  const description = parse(data)?.[name];
  return isText(description) ? description : null;
}
