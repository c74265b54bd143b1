/** A page with an engine, which answers OpenAI's API for every page of its site. Models are named in the address. */
import { createEngine } from "midtoken";
import { serveFromThisTab } from "midtoken/openai";

const [first, ...others] = JSON.parse(new URLSearchParams(location.search).get("models"));
const engine = await createEngine({ ...first, device: "wasm" });
for (const { model, dtype } of others) await engine.models.load(model, { dtype, device: "wasm" });
const { leads } = await serveFromThisTab(engine, { scriptUrl: "/service-worker.js" });
await leads;
globalThis.isServing = true;
