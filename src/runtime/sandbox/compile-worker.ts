/** The worker of compiler.ts: compiles each source that it is sent. Mods do not run here; the page may end it at any moment. */
import { compileSource } from "./compile.ts";
import type { CompilerMessage } from "./compiler.ts";

const send = (message: CompilerMessage): void => postMessage(message);

addEventListener("message", ({ data }: MessageEvent<string>) => {
  send({ type: "compiled", result: compileSource(data) });
});
send({ type: "ready" });
