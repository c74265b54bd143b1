/**
 * Gives the event loop a turn. On WebAssembly a whole request may run in microtasks alone, and then no
 * message (stop, pause) would ever be read. A MessageChannel turn costs some microseconds; `setTimeout` 4 ms.
 */
export function createYield(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  let resume: (() => void) | null = null;
  port1.onmessage = () => resume?.();
  return () =>
    new Promise((resolve) => {
      resume = resolve;
      port2.postMessage(null);
    });
}
