/** A program that takes only the processor time that others leave. Plain JavaScript: runs before anything is built. */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

/**
 * Starts a program whose output is kept in `log` and shown as one piece when it ends. It does not outlive this process.
 * @param given what `spawn` takes; its output goes to the log whatever `stdio` says.
 */
export function spawnInBackground([command, args, options], log) {
  const output = openSync(log, "w");
  // In a session of its own: Linux shares the processor among sessions first (sched_autogroup), and a browser is one.
  const isGroup = process.platform !== "win32";
  const child = spawn(command, args, { ...options, stdio: ["ignore", output, output], detached: isGroup });
  closeSync(output);
  if (child.pid !== undefined) giveWay(child.pid);
  const end = () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    try {
      process.kill(isGroup ? -child.pid : child.pid);
    } catch {
      // It has ended by now.
    }
  };
  process.once("exit", end);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  child.once("close", () => {
    process.off("exit", end);
    process.stdout.write(readFileSync(log));
  });
  return child;
}

/** Priority decides nothing but how long the tests take: where it cannot be changed, they run as they are. */
function giveWay(pid) {
  for (const lower of [
    () => setPriority(pid, constants.priority.PRIORITY_LOW),
    () => writeFileSync(`/proc/${pid}/autogroup`, `${constants.priority.PRIORITY_LOW}`),
  ]) {
    try {
      lower();
    } catch {
      // It has ended, or this system has no sessions with priorities.
    }
  }
}
