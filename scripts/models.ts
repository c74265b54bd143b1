/** `npm run models -- COMMAND`: what is done to models outside the page. */
import { messageOf } from "../src/base/message-of.ts";
import { makeModel } from "./models/make.ts";

const commands: Readonly<Record<string, (argv: readonly string[]) => Promise<void> | void>> = {
  make: (argv) => makeModel(argv),
};

const [command = "", ...rest] = process.argv.slice(2);
try {
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!run) throw new Error(`npm run models -- COMMAND: there is ${Object.keys(commands).join(", ")}.`);
  await run(rest);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}
