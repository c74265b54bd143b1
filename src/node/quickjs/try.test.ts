import { test } from "vitest";
import { compileMod } from "../../sandbox/compile.ts";
import { connectModHost } from "../../sandbox/port-mod-host.ts";
import { testTokenizerData } from "../../tokenizer/testing/test-tokenizers.ts";
import { createQuickJsPool } from "./quickjs-pool.ts";

test.each(["smollm2-135m", "qwen3-0.6b"] as const)("try %s", async (name) => {
  const pool = createQuickJsPool();
  const compiled = compileMod(`import { mod } from "midtoken/mod";
export default mod({ forwardPass(event, actions) { event.logits[0] = 5; return actions.adjustLogits(event.logits) }, added(event, actions) { return actions.forceTokens(" hi there, how are you doing today?"); } });`, "test");
  const masks = compileMod(`import { selfPromptMod } from "midtoken/flow";
import { jsonSchema } from "midtoken/strategies";
export default selfPromptMod({ prompt: "x", strategy: jsonSchema({ type: "object", properties: { a: { type: "string" }, b: { type: "integer" } }, required: ["a", "b"] }) });`, "test");
  for (const c of [compiled, masks]) {
  if (!c.ok) throw new Error(JSON.stringify(c));
  let t0 = performance.now();
  const lap = (what: string) => { console.log(name, what, Math.round((performance.now() - t0)*10)/10); t0 = performance.now(); };
  const guest = await pool.spawn(c);
  lap("spawn");
  const data = testTokenizerData(name);
  const host = await connectModHost(guest, { name: "x", about: guest.about, seed: 1, tokenizerData: data, onKill: guest.kill, deadlines: { event: 60000, prefilled: 60000, load: 60000 } });
  lap("connect");
  const base = { requestId: "r1", step: 3 } as const;
  const row = Float32Array.from({ length: data.vocabSize }, (_, token) => Math.sin(token));
  const show = (r: any) => r.fault ? JSON.stringify(r.fault) : r.action.type;
  console.log(show(await host.ask({ ...base, type: "prefilled", tokens: [8, 9], messages: [{ role: "user", content: "hi" }], tools: [], responseFormat: null, maxTokens: 5 })));
  for (let i = 0; i < 5; i++) { console.log(show(await host.ask({ ...base, type: "forwardPass", logits: row, hidden: false, emitted: [] }))); lap("forwardPass"); 
  console.log(show(await host.ask({ ...base, type: "added", tokens: [1, 2], text: "ab", source: "sampled", mod: null, isEos: false, hidden: false, emitted: [] }))); lap("added"); }
  console.log(process.memoryUsage().rss / 1e6);
  host.dispose();
  }
  pool.dispose();
});
