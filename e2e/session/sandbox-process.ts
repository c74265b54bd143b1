/** The operating system's process in which Chromium keeps a page's sandbox frames. */
import type { Page } from "@playwright/test";

interface FrameNote {
  readonly frame: string;
  readonly parent?: string;
  readonly processId: number;
}

interface TraceEvent {
  readonly name: string;
  readonly args: { readonly data?: { readonly frames?: readonly FrameNote[] } };
}

/** Processes of frames that stand in another frame. A trace is the one place where Chromium tells the processes of frames. */
export async function sandboxProcesses(page: Page): Promise<readonly number[]> {
  const session = await page.context().newCDPSession(page);
  const frames: FrameNote[] = [];
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const { name, args } of value as unknown as TraceEvent[])
      if (name === "TracingStartedInBrowser") frames.push(...(args.data?.frames ?? []));
  });
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  const includedCategories = ["disabled-by-default-devtools.timeline"];
  await session.send("Tracing.start", { traceConfig: { includedCategories } });
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  return [...new Set(frames.filter(({ parent }) => parent).map(({ processId }) => processId))];
}
