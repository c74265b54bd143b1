/**
 * Waits for the page's next task, so that the page can draw and react to its user. Uses a message, because browsers delay
 * timers: by 4 ms each, and by a second if the page is hidden.
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
