import { readFileSync } from "node:fs";
import { chromiumArgs } from "../../scripts/browsers.mjs";
import type {} from "../session/session-page.ts";
import { openBenchPage } from "./decode/browser.ts";
const { page, close } = await openBenchPage(null, { path: "../session/session.html?memory=1", global: "midtoken" }, [...chromiumArgs, "--js-flags=--expose-gc"]);
const rss = async () => {
  for (let n = 0; n < 3; n++) { await page.evaluate(() => window.midtoken.collectGarbage()); await page.requestGC(); await page.waitForTimeout(400); }
  const cdp = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] + "/" + /RssShmem:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] + " threads " + /Threads:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]);
};
console.log("isolated", await page.evaluate(() => crossOriginIsolated));
const models = ["/models/stories260k/", "/shared-models/exported/tiny-llama/", "/shared-models/exported/tiny-qwen3/"];
for (let i = 0; i < 16; i++) {
  const adapter = await page.evaluate((p) => window.midtoken.load("wasm", p).then((m) => m.adapter), models[i % 3] as string);
  if (process.argv[2] === "run") await page.evaluate(() => window.midtoken.run([]).then(() => null));
  if (i % 4 === 3) console.log(i, adapter, await rss(), JSON.stringify(await page.evaluate(() => (performance as any).measureUserAgentSpecificMemory?.().then((m: any) => m.breakdown.filter((b: any) => b.bytes > 1e6).map((b: any) => [b.bytes, b.types, b.attribution.map((a: any) => a.scope)])))));
}
await close();
