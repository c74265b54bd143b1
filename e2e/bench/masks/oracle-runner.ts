/** Runs an oracle in a process of its own, which is ended and started anew when a schema takes too long. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { OracleName, OracleTask, OracleTimes } from "./oracle-process.ts";

export interface OracleRunner {
  readonly name: OracleName;
  /** Null: it was ended, because it took three times the limit. */
  run(task: OracleTask): Promise<OracleTimes | null>;
  close(): void;
}

export function oracleRunner(name: OracleName): OracleRunner {
  let child: ChildProcess | null = null;
  return {
    name,
    async run(task) {
      child ??= await start(name);
      const answer = await reply(child, task);
      if (answer === null) {
        child.kill("SIGKILL");
        child = null;
      }
      return answer;
    },
    close() {
      child?.kill("SIGKILL");
    },
  };
}

async function start(name: OracleName): Promise<ChildProcess> {
  const path = fileURLToPath(new URL("oracle-process.ts", import.meta.url));
  const child = fork(path, [name], { execArgv: ["--import", "tsx", "--no-warnings"] });
  await new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", (code) =>
      reject(new Error(`The oracle ${name} ended with ${code} before it was ready.`)),
    );
  });
  return child;
}

/** Null when it takes too long or its process ends: WebAssembly may abort for good. */
function reply(child: ChildProcess, task: OracleTask): Promise<OracleTimes | null> {
  return new Promise((resolve) => {
    const end = (answer: OracleTimes | null) => {
      clearTimeout(timer);
      child.off("message", end);
      child.off("exit", gone);
      resolve(answer);
    };
    const gone = () => end(null);
    const timer = setTimeout(gone, task.limit * 3);
    child.once("message", end);
    child.once("exit", gone);
    child.send(task);
  });
}
