/** `npm run remote -- COMMAND`: a real llama.cpp server for tests and first steps. */
import { writeFileSync } from "node:fs";
import { messageOf } from "../src/core/base/message-of.ts";
import { installServer } from "./remote/install-server.ts";
import { smolLm2Gguf } from "./remote/smollm2-gguf.ts";
import { storyGguf } from "./remote/story-gguf.ts";

const commands: Readonly<Record<string, (argv: readonly string[]) => unknown>> = {
  install: () => installServer(),
  "story-gguf": ([path = "stories260k.gguf"]) => {
    writeFileSync(path, storyGguf());
    console.log(`Wrote ${path}.`);
  },
  "smollm2-gguf": ([path = "smollm2-135m-instruct.gguf"]) => {
    smolLm2Gguf(path);
    console.log(`Wrote ${path}.`);
  },
};

const [command = "", ...rest] = process.argv.slice(2);
try {
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!run)
    throw new Error(`npm run remote -- COMMAND: the commands are ${Object.keys(commands).join(", ")}.`);
  await run(rest);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}
