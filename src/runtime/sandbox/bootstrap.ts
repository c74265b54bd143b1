/**
 * The one script of a sandbox frame, as text: its hash is in the policies of the frame and of the page. The script takes one
 * message from the page, makes the worker, passes on the port, and then hands the worker one script to load. It never reads
 * the worker's messages: the first one, whatever it says, means that the guest is awake. It reports the worker's errors as
 * plain texts and numbers. An honest guest sends one message and no error. A second message or an error ends the worker, so
 * that a flood of them cannot keep this thread busy: all sandboxes of the page may share the thread, and it has to answer
 * the engine's pings (frame-pings.ts). The port for these pings stays in the frame.
 */
export const bootstrapScript = `"use strict";
addEventListener("message", function start({ source, data, ports: [control, port, pings] }) {
  if (source !== parent || self.origin !== "null") return;
  removeEventListener("message", start);
  pings.onmessage = (ping) => pings.postMessage(ping.data);
  const address = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(address(data));
  worker.onmessage = () => {
    worker.onmessage = () => worker.terminate();
    control.postMessage({ type: "awake" });
  };
  worker.onerror = (event) => {
    event.preventDefault();
    worker.onerror = (next) => next.preventDefault();
    worker.terminate();
    control.postMessage({ type: "error", message: String(event.message), line: Number(event.lineno) });
  };
  control.onmessage = ({ data: { code, label, define } }) => {
    worker.postMessage({ url: address(code), label, define });
  };
  worker.postMessage(null, [port]);
});
`;

/**
 * The policy of the frame and its worker: run this one script, make a worker from a blob, and load scripts that the
 * frame itself made into blobs. No network address is allowed for anything. No directive closes WebRTC: browsers do
 * not know `webrtc` and complain about it in the console. The policy needs none, because only documents have WebRTC,
 * and the only script in this document is the bootstrap.
 */
function framePolicy(bootstrapHash: string): string {
  return [
    "default-src 'none'",
    `script-src '${bootstrapHash}' blob:`,
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The page in a frame. Outside a frame with an opaque origin, its script does nothing. */
export function sandboxFrameHtml(bootstrapHash: string): string {
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${framePolicy(bootstrapHash)}"><script>${bootstrapScript}</script>`;
}
