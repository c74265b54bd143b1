/**
 * Sandboxes on the page: hidden frames of an origin of their own, each with one worker for one mod and one request. Taking
 * a frame out of the document ends everything in it, busy or not.
 */
import { bootstrapHash } from "virtual:sandbox-bootstrap";
import { untilAborted } from "../base/abort.ts";
import { bootstrap, framePolicy } from "./bootstrap.ts";
import { guestProgram } from "./guest-program.ts";
import { defineName } from "./module-wrapper.ts";
import type { SandboxPool } from "./sandbox-pool.ts";
import { createSparePool, type Sandbox } from "./spare-pool.ts";

export { bootstrapHash };

export interface SandboxPoolOptions {
  readonly document: Document;
  /** The guest's program; the suite puts a hostile one in its place. */
  readonly program?: string;
}

const longestStart = 20_000;

export function createSandboxPool({ document, program }: SandboxPoolOptions): SandboxPool {
  const fetchProgram = program === undefined ? guestProgram : async () => program;
  return createSparePool(() => createSandbox(document, fetchProgram));
}

function createSandbox(document: Document, fetchProgram: () => Promise<string>): Sandbox {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.hidden = true;
  frame.title = "mod sandbox";
  frame.setAttribute("aria-hidden", "true");
  frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${framePolicy(bootstrapHash)}"><script>${bootstrap}</script>`;
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
    return whenAwake(control.port1);
  });
  const awake = untilAborted(starting, removal.signal);
  // Nobody waits for a spare that is removed.
  awake.catch(() => undefined);
  document.body.append(frame);
  return {
    ...{ port: direct.port1, pingPort: pings.port1, awake },
    load: ({ code, about }) => control.port1.postMessage({ code, label: about.label, define: defineName }),
    remove() {
      frame.remove();
      removal.abort(new Error("The mod's sandbox was removed before it had started."));
    },
  };
}

/** What the frame says is a hint for people: nothing is decided by it but whether to wait. */
function whenAwake(control: MessagePort): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new Error(
          `The mod's sandbox did not start within ${longestStart / 1000} s. Does the page's content security policy allow the script ${bootstrapHash}, "blob:" scripts and "blob:" workers?`,
        ),
      );
    }, longestStart);
    control.onmessage = ({ data }: MessageEvent<{ type: string; message?: string; line?: number }>) => {
      clearTimeout(timer);
      if (data.type === "awake") resolve();
      else reject(new Error(`The mod's sandbox could not start: ${data.message} (line ${data.line}).`));
    };
  });
}
