/**
 * The link to a live run: `#w1.`, the room, then `z`. The room is the beginning of the SHA-256 of a public key that is made for
 * this share (`proof.ts`). Nobody can guess the room; everyone who has the link may watch. Only the page that made the link has
 * the private key.
 */
import { isWatchLink } from "./is-watch-link.ts";
import { LiveError } from "./limits.ts";

const whole = /^#?w1\.([0-9a-f]{32})z$/;

/** The fragment, with its `#`. */
export function watchFragment(room: string): string {
  return `#w1.${room}z`;
}

/** @throws LiveError if the link contains no valid room */
export function readWatchedRoom(fragment: string): string {
  const [, room] = whole.exec(fragment) ?? [];
  if (room !== undefined) return room;
  if (isWatchLink(fragment) && !/^#?w1\./.test(fragment))
    throw new LiveError(
      "The link is from a newer version of Midtoken. Reload the page to get the newest version.",
    );
  throw new LiveError("The link to the live run is incomplete or damaged. Copy the whole link again.");
}
