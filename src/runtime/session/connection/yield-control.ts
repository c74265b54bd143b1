/**
 * Gives the event loop a turn. On WebAssembly a whole request may run in microtasks alone, and then no
 * message (stop, pause) would ever be read. A MessageChannel turn costs some microseconds; `setTimeout` 4 ms.
 */
export function createYield(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  // Requests of a model on a server run side by side, so several may wait. Each message is the turn of one of them.
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(null);
    });
}
