/**
 * Passes the engine's pings on to a guest's thread. A deadline passes only while pings are answered, so on a busy machine it
 * waits for a thread that gets no time. The thread cannot answer in the middle of a native call (parsing a tokenizer's JSON takes
 * seconds), and no one can tell such a call from a thread without time: after `patience` the answer is given in its place.
 */

/** Milliseconds. The four pings of a deadline together stay within `longestStandstill`. */
export const patience = 500;

/** Closes both ports. */
export type StopRelay = () => void;

export function relayPings(engine: MessagePort, guest: MessagePort): StopRelay {
  let waiting: unknown = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const answer = (ping: unknown): void => {
    if (ping !== waiting) return;
    waiting = null;
    clearTimeout(timer);
    engine.postMessage(ping);
  };
  engine.onmessage = ({ data }: MessageEvent<unknown>) => {
    clearTimeout(timer);
    waiting = data;
    timer = setTimeout(answer, patience, data);
    timer.unref();
    guest.postMessage(data);
  };
  guest.onmessage = ({ data }: MessageEvent<unknown>) => answer(data);
  return () => {
    clearTimeout(timer);
    engine.close();
    guest.close();
  };
}
