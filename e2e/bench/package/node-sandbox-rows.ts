/** Mods in Node: the attempts to get out of QuickJS, and of a plain thread. */
import { resolve } from "node:path";
import { createServer } from "vite";
import { atLeast, type BenchRow, exactly } from "../machine.ts";
import type { countNodeSandbox } from "./node-sandbox.ts";

const root = resolve(import.meta.dirname, "../../..");

export async function nodeSandboxRows(): Promise<BenchRow[]> {
  const server = await createServer({
    root,
    configFile: resolve(root, "vite.config.ts"),
    logLevel: "error",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true, include: [] },
    // Its parser is an ES module under a CommonJS name, which Node alone cannot load.
    ssr: { noExternal: ["sucrase"] },
  });
  try {
    const suite = (await server.ssrLoadModule("/e2e/bench/package/node-sandbox.ts")) as {
      readonly countNodeSandbox: typeof countNodeSandbox;
    };
    const { attempts, leaks, controlLeaks } = await suite.countNodeSandbox();
    if (leaks.length > 0) console.error(`Out of QuickJS came ${leaks.join(", ")}.`);
    return [
      exactly(
        "attempts of the sandbox's suite that QuickJS in Node lets out",
        leaks.length,
        `of ${attempts}`,
        0,
      ),
      atLeast("of them, a plain thread lets out (the control)", controlLeaks, "attempts", 1),
    ];
  } finally {
    await server.close();
  }
}
