/** Reports the progress of a download to the tabs that wait for it. */

interface Report {
  readonly name: string;
  readonly loadedBytes: number;
  readonly totalBytes: number;
}

const channelName = "midtoken-downloads";

/** Sends the progress of one download to other tabs. */
export function createProgressSender(name: string): {
  tell(loadedBytes: number, totalBytes: number): void;
  close(): void;
} {
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(channelName);
  return {
    tell: (loadedBytes, totalBytes) =>
      channel?.postMessage({ name, loadedBytes, totalBytes } satisfies Report),
    close: () => channel?.close(),
  };
}

/** Receives the progress of one download until the returned function is called. */
export function receiveProgress(
  name: string,
  onProgress: (loadedBytes: number, totalBytes: number) => void,
): () => void {
  if (typeof BroadcastChannel === "undefined") return () => {};
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent) => {
    const report = data as Report;
    if (report.name === name) onProgress(report.loadedBytes, report.totalBytes);
  };
  return () => channel.close();
}
