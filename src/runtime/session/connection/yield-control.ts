/**
 * Returns a function that lets the event loop run once. On WebAssembly a whole request may consist of microtasks, and then
 * no message (stop, pause) would be received. Yielding by a MessageChannel takes microseconds, by `setTimeout` 4 ms.
 */
export function createYield(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  // Several callers may wait, because requests to a model on a server run at the same time. Each message resumes one of
  // them.
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(null);
    });
}
