/**
 * Passes the engine's pings on to a guest's thread. A deadline counts only while pings are answered, so on a busy machine it
 * waits for a thread that gets no processor time. During a native call (parsing a tokenizer's JSON takes seconds) the thread
 * cannot answer, and from outside this looks like a thread without processor time. So after `pingPatienceMs`, the relay answers
 * instead of the thread.
 */

/** Milliseconds. The four pings of a deadline together must stay below `longestProcessStandstillMs`. */
export const pingPatienceMs = 500;

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
    timer = setTimeout(answer, pingPatienceMs, data);
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
