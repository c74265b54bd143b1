/**
 * The next task of the page, between which it draws and hears its user. A message, since browsers hold timers back: by 4 ms
 * each, and by a second where the page is not in view.
 */
export function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
