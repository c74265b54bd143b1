/**
 * Reads the messages that the sharer accepts from one watcher: first a greeting that proves that the watcher has the link, then
 * confirmations.
 */
import { createFrameJoiner } from "./framing.ts";
import { LiveError, liveLimits } from "./limits.ts";
import { createWatcherProof, type SharerKey, type SharerProof } from "./proof.ts";
import { LIVE_VERSION, parseWatcherMessage } from "./protocol.ts";

interface GreetingEnd {
  /** The watcher has the link. `proof` is the sharer's signature of the watcher's random number. */
  greeted(proof: SharerProof): void;
  /** @throws LiveError if the watcher confirms more messages than were sent */
  taken(messages: number): void;
}

/**
 * @returns a function that reads one frame. The function throws LiveError for any other message; the caller then closes the
 * connection.
 */
export function createWatcherMessageReader(
  binding: string,
  key: SharerKey,
  end: GreetingEnd,
): (frame: Uint8Array) => void {
  const unframe = createFrameJoiner(liveLimits.watcherMessageBytes);
  let isGreeted = false;
  return (frame) => {
    const text = unframe(frame);
    if (text === null) return;
    const message = parseWatcherMessage(text);
    if ((message.type === "watch") === isGreeted)
      throw new LiveError("A watcher’s page did not begin the connection correctly.");
    if (message.type === "taken") return end.taken(message.messages);
    const { live, nonce, proof } = message;
    const subject = { room: key.room, binding, nonce };
    if (live > LIVE_VERSION || proof !== createWatcherProof(subject))
      throw new LiveError("A watcher’s page could not prove that it has the link.");
    isGreeted = true;
    end.greeted(key.prove(subject));
  };
}
