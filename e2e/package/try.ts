import { chromium } from "playwright-core";
import * as apps from "./build-app.ts";
import { tryApp } from "./run-app.ts";

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", ...(process.env.CARGS ?? "").split(" ").filter(Boolean)] });
for (const name of process.argv.slice(2)) {
  const t = Date.now();
  try {
    const r = await tryApp(browser, "/work/wt/pack/dist/midtoken-0.1.0.tgz", (apps as any)[name], JSON.parse(process.env.OPTS ?? "{}"));
    console.log(name, "ok", Date.now() - t, JSON.stringify(r));
  } catch (e) {
    console.log(name, "FAILED", Date.now() - t, String((e as Error).stack).slice(0, 1500));
  }
}
await browser.close();
