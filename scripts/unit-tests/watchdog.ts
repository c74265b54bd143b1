/**
 * A thread that kills its own process when the process shows no progress for too long, and says what the process was doing.
 * A timer of the main thread would not do: a test in an endless loop keeps the main thread from running timers, and tests
 * replace `setTimeout` with a fake.
 */
import { Worker } from "node:worker_threads";

/** Plain JavaScript for the thread. A process whose parent has gone ends too: a run that was killed leaves no busy loops. */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const { limitMs, failure } = workerData;
const parent = process.ppid;
let timer;
let doing = "";
let detail = "";
function end(text) {
  try {
    writeSync(2, text);
  } catch {}
  process.kill(process.pid, "SIGKILL");
}
parentPort.on("message", (message) => {
  if (message.detail !== undefined) {
    detail = message.detail;
    return;
  }
  clearTimeout(timer);
  doing = message.doing;
  detail = "";
  if (doing === null) return;
  timer = setTimeout(() => {
    const seconds = Math.round(limitMs / 1000);
    end("\\n" + failure.replace("%s", seconds) + "\\n  " + doing + "\\n" + (detail && "  in: " + detail + "\\n"));
  }, limitMs);
});
setInterval(() => process.ppid !== parent && end(""), 1_000);
`;

export interface WatchdogOptions {
  readonly limitMs: number;
  /** What is printed at the limit, above what the process was doing. `%s` stands for the seconds. */
  readonly failure: string;
}

export interface Watchdog {
  /** Progress: the time begins anew. `null` stops the clock. */
  watch(doing: string | null): void;
  /** Says more about what goes on, and leaves the clock alone. */
  note(detail: string): void;
}

export function startWatchdog(options: WatchdogOptions): Watchdog {
  const thread = new Worker(program, { eval: true, execArgv: [], workerData: options });
  thread.unref();
  return {
    watch: (doing) => thread.postMessage({ doing }),
    note: (detail) => thread.postMessage({ detail }),
  };
}

/** Milliseconds that a test file may take, with all of its hooks. `TEST_FILE_LIMIT_S` sets another limit. */
export const testFileLimitMs = 1_000 * Number(process.env.TEST_FILE_LIMIT_S ?? 600);
