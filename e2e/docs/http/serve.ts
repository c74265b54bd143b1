import { createEngine, type EngineOptions } from "midtoken";
import { serveFromThisTab } from "midtoken/openai";

export async function serve(options: EngineOptions, scriptUrl = "/midtoken-service-worker.js") {
  const engine = await createEngine(options);
  const { baseUrl, leads } = await serveFromThisTab(engine, { scriptUrl });
  await leads;
  return { engine, baseUrl };
}
