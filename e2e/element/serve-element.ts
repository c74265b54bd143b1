/** A page of anyone's with the built element in it, under the strict policy that it has to work under. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buildElement } from "../../scripts/build-element.ts";
import { encodeTrace } from "../../src/core/trace/codec/codec.ts";
import { encodePermalink } from "../../src/core/trace/file/permalink.ts";
import { sampleReasoningTrace, sampleTrace } from "../../src/core/trace/testing/sample-trace.ts";

/** Scripts and styles are files of the page's own site; nothing inline, nothing evaluated. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

export interface ElementPage {
  readonly address: string;
  /** The fragment of a permalink of `shortTrace`. */
  readonly fragment: string;
  /** The paths that were asked for, in their order. */
  readonly asked: string[];
  readonly close: () => Promise<void>;
}

export const shortTrace = sampleTrace({ tokens: 60 });

const pageText = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>A page with timelines</title>
<link rel="stylesheet" href="/page.css">
<script type="module" src="/timeline/timeline.js"></script>
</head>
<body><main><h1>A page with timelines</h1></main></body>
</html>`;

/** Styles that must not get in. */
const pageStyle = `body { margin: 16px; font: 20px/2 serif; letter-spacing: 2px; text-align: center; }
button { border: 4px solid red; }
h1 { font-size: 16px; }
.dark { color-scheme: dark; background: #111; color: #eee; }`;

export async function serveElement(): Promise<ElementPage> {
  const files = new Map<string, { readonly type: string; readonly body: string | Uint8Array }>();
  for (const { fileName, code } of await buildElement())
    files.set(`/timeline/${fileName}`, { type: "text/javascript", body: code });
  files.set("/", { type: "text/html", body: pageText });
  files.set("/page.css", { type: "text/css", body: pageStyle });
  const { bytes } = encodeTrace({ trace: shortTrace, notes: [] });
  files.set("/run.trace", { type: "application/octet-stream", body: bytes });
  const long = encodeTrace({ trace: sampleTrace({ tokens: 3000 }), notes: [] });
  files.set("/long.trace", { type: "application/octet-stream", body: long.bytes });
  const thought = encodeTrace({ trace: sampleReasoningTrace({ tokens: 60 }), notes: [] });
  files.set("/thought.trace", { type: "application/octet-stream", body: thought.bytes });
  files.set("/damaged.trace", { type: "application/octet-stream", body: bytes.slice(0, -20) });
  files.set("/page.html", { type: "text/html", body: pageText });
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "").replace(/\?.*/, "");
    asked.push(path);
    // Until the client goes away.
    if (path === "/endless.trace") {
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": 1_000_000 });
      response.write(bytes.slice(0, 100));
      request.on("close", () => asked.push("endless.trace was left"));
      return;
    }
    if (path === "/huge.trace") {
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": 200_000_000 });
      response.write(bytes.slice(0, 100));
      return;
    }
    const file = files.get(path);
    const headers = { "content-type": file?.type ?? "text/plain", "content-security-policy": policy };
    response.writeHead(file ? 200 : 404, headers).end(file?.body ?? "not here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    fragment: encodePermalink(shortTrace).fragment,
    asked,
    close: () => closeServer(server),
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
