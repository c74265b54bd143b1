/** `npm run models -- COMMAND`: checks the list of models, and generates models for tests and benches. */
import { messageOf } from "../src/core/base/message-of.ts";
import { checkModelsCommand, updateModelsCommand } from "./models/check.ts";
import { makeModelCommand } from "./models/make.ts";

/** A command returns false if it ran and found something wrong. */
const commands: Readonly<Record<string, (argv: readonly string[]) => unknown>> = {
  make: (argv) => makeModelCommand(argv),
  check: (argv) => checkModelsCommand(argv),
  update: (argv) => updateModelsCommand(argv),
};

const [command = "", ...rest] = process.argv.slice(2);
try {
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!run) throw new Error(`npm run models -- COMMAND: there is ${Object.keys(commands).join(", ")}.`);
  if ((await run(rest)) === false) process.exitCode = 1;
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}
