/** The engine's worker: an engine for the page that started it. */
import { loadHereOrOnServer } from "./load-here-or-on-server.ts";
import { serveEngine } from "./serve-engine.ts";

serveEngine(self as unknown as Parameters<typeof serveEngine>[0], { loadModel: loadHereOrOnServer });
