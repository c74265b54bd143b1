/**
 * The address under which a live run is watched: `#w1.`, then the room, then `z`. The room is a random number that nobody can
 * guess: who has the link may watch.
 */
import { LiveError } from "./limits.ts";

const roomBytes = 16;
const beginning = /^#?w\d+\./;
const whole = /^#?w1\.([0-9a-f]{32})z$/;

export function newRoom(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(roomBytes));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The fragment, with its `#`. */
export function watchFragment(room: string): string {
  return `#w1.${room}z`;
}

/** Whether the address leads to a live run, in this or a later way of writing it. */
export function isWatchLink(fragment: string): boolean {
  return beginning.test(fragment);
}

/** @throws LiveError for a link that leads to no room. */
export function roomOf(fragment: string): string {
  const [, room] = whole.exec(fragment) ?? [];
  if (room !== undefined) return room;
  if (isWatchLink(fragment) && !/^#?w1\./.test(fragment))
    throw new LiveError("The link is of a newer Midtoken. Reload the page to get the newest.");
  throw new LiveError("The link to a live run is cut off or damaged. Copy it again, whole.");
}
