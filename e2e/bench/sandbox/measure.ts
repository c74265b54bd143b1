/** The figures of mods in sandboxes, in Chromium, over the real path: a worker that asks, mods in frames of their own. */
import type { TokenizerData } from "../../../src/core/tokenizer/create-tokenizer.ts";
import { startBrowser } from "../../sandbox/browsers.ts";
import { startServers } from "../../sandbox/servers.ts";
import { type SandboxMetrics, vocabulary } from "./figures.ts";

/** Everything is measured in one page, so that all figures are of the same run. `tokenizer`: what a new sandbox has to build; `only`: leaves the other figures at 0. */
export async function measureSandbox(
  { tokenizerJson, tokenizerConfig }: Pick<TokenizerData, "tokenizerJson" | "tokenizerConfig">,
  options: { readonly only?: "threeMods"; readonly vocabulary?: number } = {},
): Promise<SandboxMetrics> {
  const servers = await startServers({
    "/bench-model/tokenizer.json": JSON.stringify(tokenizerJson),
    "/bench-model/tokenizer_config.json": JSON.stringify(tokenizerConfig),
  });
  try {
    const reported = servers.nextReport();
    const address = `${servers.origin}/e2e/bench/sandbox/page.html?tokenizer=/bench-model&only=${options.only ?? ""}&vocabulary=${options.vocabulary ?? vocabulary}`;
    const browser = await startBrowser("chromium", address);
    try {
      const late = setTimeout(() => {
        console.error("The bench's page reported nothing within 900 s.");
        process.exit(1);
      }, 900_000);
      const { figures, failure } = (await reported) as { figures: SandboxMetrics; failure: string | null };
      clearTimeout(late);
      if (failure !== null) throw new Error(failure);
      return figures;
    } finally {
      await browser.close();
    }
  } finally {
    await servers.close();
  }
}
