/**
 * `npm run remote -- COMMAND`: installs a llama.cpp server, checks a model server, searches a test run's output for keys, and
 * writes models as GGUF, for tests and first steps.
 */
import { writeFileSync } from "node:fs";
import { messageOf } from "../src/core/base/message-of.ts";
import { checkModelServer } from "./remote/check-server.ts";
import { installLlamaServer } from "./remote/install-server.ts";
import { searchLeakedKeys } from "./remote/search-keys.ts";
import { writeSmolLm2Gguf } from "./remote/smollm2-gguf.ts";
import { storyGguf } from "./remote/story-gguf.ts";

const commands: Readonly<Record<string, (argv: readonly string[]) => unknown>> = {
  install: () => installLlamaServer(),
  check: async ([url = ""]) => {
    const found = await checkModelServer({ url, key: process.env.MIDTOKEN_ENGINE_KEY || undefined });
    for (const { what, value, isRight } of found)
      console.log(`${isRight ? "ok    " : "WRONG "} ${what}: ${value}`);
    console.log("Send these lines with a report. They contain neither the address nor the key.");
    if (found.some(({ isRight }) => !isRight)) process.exitCode = 1;
  },
  keys: async (files) => {
    const { keys, bytes, found, hasPassed } = await searchLeakedKeys(files.length > 0 ? files : undefined);
    for (const line of found) console.log(line);
    console.log(`${keys} keys, ${bytes} bytes of output: ${found.length} occurrences.`);
    if (found.length > 0 || keys === 0 || !hasPassed) process.exitCode = 1;
  },
  "story-gguf": ([path = "stories260k.gguf"]) => {
    writeFileSync(path, storyGguf());
    console.log(`Wrote ${path}.`);
  },
  "smollm2-gguf": ([path = "smollm2-135m-instruct.gguf"]) => {
    writeSmolLm2Gguf(path);
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
