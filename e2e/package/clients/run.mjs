/**
 * Runs the cases of a client in Node: `node run.mjs PROGRAM [BASE_URL]`. Without an address the client's `fetch` is the fetch handler of
 * `midtoken/openai`. Models are the folders of `$CLIENT_MODELS`, a JSON list of `{ model, dtype }`. Prints the results as JSON.
 */
import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { runCases } from "./cases.mjs";

const [program, baseURL] = process.argv.slice(2);
const folders = JSON.parse(process.env.CLIENT_MODELS ?? "[]");
const models = folders.map(({ model }) => basename(model));

async function openHandler() {
  const { createNodeEngine, modelOf } = await import("midtoken/node");
  const { createFetchHandler } = await import("midtoken/openai");
  const [first, ...others] = folders;
  const engine = await createNodeEngine(first);
  for (const { model, dtype } of others) await engine.models.load(await modelOf(model, dtype));
  const handler = createFetchHandler(engine);
  const handle = (input, init) => handler(new Request(input, init));
  return { baseURL: "http://midtoken/v1", fetch: handle, close: () => engine.dispose() };
}

const { cases } = await import(`./${program}.mjs`);
const opened = baseURL ? { baseURL, fetch: globalThis.fetch, close: () => {} } : await openHandler();
const results = await runCases(cases, { ...opened, models });
opened.close();
writeFileSync(1, `${JSON.stringify(results)}\n`);
process.exit(0);
