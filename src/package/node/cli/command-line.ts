/** Runs a command line and returns its exit code. */
import { messageOf } from "../../../core/base/message-of.ts";
import { helpFor, overview } from "./help.ts";
import { runCommand } from "./run-command.ts";
import { serveCommand } from "./serve-command.ts";
import { exitCodes, type Terminal, UsageError } from "./terminal.ts";
import { testCommand } from "./test-command.ts";
import { version } from "./version.ts";
import { watchCommand } from "./watch-command.ts";

type Command = (words: readonly string[], terminal: Terminal) => Promise<number>;

const commands: Readonly<Record<string, Command>> = {
  run: runCommand,
  serve: serveCommand,
  test: testCommand,
  watch: watchCommand,
};

/** Never rejects: an error is printed, and becomes an exit code. */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  const [name = "", ...rest] = words;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const asksForHelp = words.some((word) => word === "--help" || word === "-h");
  if (asksForHelp || name === "help") {
    const topic = command ? name : rest[0];
    terminal.write(topic !== undefined && Object.hasOwn(commands, topic) ? helpFor(topic) : overview);
    return exitCodes.done;
  }
  if (name === "--version" || name === "-v") {
    terminal.write(`${version}\n`);
    return exitCodes.done;
  }
  if (!command) {
    const there = `The commands are ${Object.keys(commands).join(", ")}.`;
    terminal.tell(
      name === ""
        ? overview
        : `midtoken: there is no command "${name}". ${there} Run midtoken --help for a list.`,
    );
    return exitCodes.misused;
  }
  try {
    return await command(rest, terminal);
  } catch (error) {
    terminal.progress?.("");
    if (terminal.signal.aborted) {
      terminal.tell(`midtoken: ${messageOf(terminal.signal.reason)}`);
      return exitCodes.interrupted;
    }
    terminal.tell(`midtoken ${name}: ${messageOf(error)}`);
    if (!(error instanceof UsageError)) return exitCodes.failed;
    terminal.tell(`Run midtoken ${name} --help for its options.`);
    return exitCodes.misused;
  }
}
