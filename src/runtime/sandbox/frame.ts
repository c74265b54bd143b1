/**
 * Sandboxes on the page: hidden frames with an opaque origin, each with one worker for one mod and one request. Removing a
 * frame from the document ends everything in it, busy or not.
 */
import { bootstrapHash } from "virtual:sandbox-bootstrap";
import { untilAborted } from "../../core/base/abort.ts";
import { sandboxFrameHtml } from "./bootstrap.ts";
import { loadGuestProgram } from "./guest-program.ts";
import { defineFunctionName } from "./module-wrapper.ts";
import type { SandboxPool } from "./sandbox-pool.ts";
import { describeStartFailure, type FrameFailure } from "./start-failure.ts";
import { createWarmPool, type Sandbox } from "./warm-pool.ts";

export { bootstrapHash };

export interface SandboxPoolOptions {
  readonly document: Document;
  /**
   * Address of a page that contains `sandboxFrameHtml(bootstrapHash)`. Needed if the page's content security policy forbids
   * inline scripts: a `srcdoc` frame inherits that policy, a frame with an address does not.
   */
  readonly sandboxUrl?: string;
  /** The guest's program; tests replace it with a hostile one. */
  readonly program?: string;
}

const longestStart = 20_000;

export function createSandboxPool({ document, sandboxUrl, program }: SandboxPoolOptions): SandboxPool {
  const fetchProgram = program === undefined ? loadGuestProgram : async () => program;
  return createWarmPool(() => createSandbox(document, sandboxUrl, fetchProgram));
}

function createSandbox(
  document: Document,
  sandboxUrl: string | undefined,
  fetchProgram: () => Promise<string>,
): Sandbox {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.hidden = true;
  frame.title = "mod sandbox";
  frame.setAttribute("aria-hidden", "true");
  if (sandboxUrl === undefined) frame.srcdoc = sandboxFrameHtml(bootstrapHash);
  else frame.src = sandboxUrl;
  const control = new MessageChannel();
  const direct = new MessageChannel();
  const pings = new MessageChannel();
  const loaded = new Promise((resolve) => {
    frame.addEventListener("load", resolve, { once: true });
  });
  const removal = new AbortController();
  const starting = fetchProgram().then((program) => {
    const ports = [control.port2, direct.port2, pings.port2];
    void loaded.then(() => frame.contentWindow?.postMessage(program, "*", ports));
    return whenAwake(control.port1, sandboxUrl);
  });
  const awake = untilAborted(starting, removal.signal);
  // Nobody waits for a warm sandbox that is removed, so its rejection is ignored.
  awake.catch(() => undefined);
  document.body.append(frame);
  return {
    port: direct.port1,
    pingPort: pings.port1,
    awake,
    load: ({ code, about }) =>
      control.port1.postMessage({ code, label: about.label, define: defineFunctionName }),
    remove() {
      frame.remove();
      removal.abort(new Error("The mod's sandbox was removed before it started."));
    },
  };
}

/** Settles when the frame reports that its guest is awake. Rejects with advice if the frame reports a failure, or nothing in time. */
function whenAwake(control: MessagePort, sandboxUrl: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (failure: FrameFailure | null) =>
      reject(new Error(describeStartFailure(failure, sandboxUrl, longestStart / 1000)));
    const timer = setTimeout(() => fail(null), longestStart);
    control.onmessage = ({ data }: MessageEvent<{ type: string } & FrameFailure>) => {
      clearTimeout(timer);
      if (data.type === "awake") resolve();
      else fail(data);
    };
  });
}
