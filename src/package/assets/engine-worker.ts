/** The engine's worker in the npm package. Its first message contains the addresses of the runtimes; then it is an engine for the page that started it. */
import { loadHereOrOnServer } from "../../runtime/session/connection/load-here-or-on-server.ts";
import { serveEngine } from "../../runtime/session/connection/serve-engine.ts";
import { setRuntimeAddresses } from "./load-runtime.ts";
import type { RuntimeAddresses } from "./runtime-addresses.ts";

addEventListener(
  "message",
  ({ data }: MessageEvent<RuntimeAddresses>) => {
    setRuntimeAddresses(data);
    serveEngine(self as unknown as Parameters<typeof serveEngine>[0], { loadModel: loadHereOrOnServer });
    postMessage({ type: "ready" });
  },
  { once: true },
);
