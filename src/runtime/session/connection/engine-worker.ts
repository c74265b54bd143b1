/** The engine's worker: an engine for the page that started it. */
import { serveEngine } from "./serve-engine.ts";

serveEngine(self as unknown as Parameters<typeof serveEngine>[0]);
