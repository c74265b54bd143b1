/**
 * The one script of a sandbox frame, as text: its hash is in the frame's policy and in the page's. It takes one message
 * from the page, makes the worker, passes on the port, and from then on hands it one script to load. What the worker says
 * goes nowhere but for one fixed word; what goes wrong in it comes out as plain texts and numbers. An honest guest says
 * and does neither again: a second word or an error ends the worker, so that a flood of them cannot keep this thread busy,
 * which all sandboxes of the page may share, and which has to send back the engine's pings (frame-pings.ts). The port of
 * these pings stays in the frame.
 */
export const bootstrap = `"use strict";
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
 * What the frame and its worker may do: run this one script, make a worker from a blob, and load scripts that the frame
 * itself made into blobs. No address on any network is allowed for anything. No directive closes WebRTC: browsers do not
 * know `webrtc` and complain of it in the console. None is needed, because only documents have WebRTC, and in this one no
 * script runs but the bootstrap.
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

/** The page in a frame. Anywhere but in a frame of an opaque origin its script does nothing. */
export function framePage(bootstrapHash: string): string {
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${framePolicy(bootstrapHash)}"><script>${bootstrap}</script>`;
}
