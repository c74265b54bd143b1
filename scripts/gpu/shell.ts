/** Runs programs of the system for `pack` and `pretend`. */
import { spawnSync } from "node:child_process";

/** Output of a program. @throws Error with the program's error output if it fails */
export function runAndCaptureOutput(
  command: string,
  args: readonly string[],
  cwd?: string,
  env = process.env,
): string {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (error) throw new Error(`${command} could not be started: ${error.message}`);
  if (status !== 0)
    throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr.slice(-2000)}`);
  return stdout;
}

/** @throws Error that names the missing programs */
export function requirePrograms(names: readonly string[]): void {
  const missing = names.filter((name) => spawnSync("which", [name]).status !== 0);
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(", ")}. Install them with apt-get.`);
}

/** Libraries that a binary is linked with, as `ldd` reports them: name and path. */
export function librariesOf(file: string, folders: readonly string[]): (readonly [string, string])[] {
  const env = { ...process.env, LD_LIBRARY_PATH: folders.join(":") };
  return runAndCaptureOutput("ldd", [file], undefined, env)
    .split("\n")
    .flatMap((line) => {
      const [, name, path] = /^\s*(\S+) => (\/\S+)/.exec(line) ?? [];
      return name && path ? [[name, path] as const] : [];
    });
}
