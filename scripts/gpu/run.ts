/** `run`: runs steps one after the other, each with a time limit, and writes all of their output into a folder. */
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { bin, root } from "../install.mjs";
import { savedGpuSwitchSetName } from "./check.ts";
import { commandOf, readSteps, type WantedGpuStep } from "./steps.ts";

/** Milliseconds between asking a step to end and killing it. */
const grace = 5_000;

/** Returns the exit status of the command: 1 if a step failed, missed a limit of its bench, or ran out of time. */
export async function runGpuSteps(texts: readonly string[]): Promise<number> {
  const wanted = readSteps(texts);
  const folder = resolve(process.env.OUT ?? join(root, "test-results/gpu"));
  mkdirSync(folder, { recursive: true });
  const failed: string[] = [];
  for (const step of wanted) {
    const outcome = await runStep(step, folder);
    if (outcome !== null) failed.push(`${step.name} (${outcome})`);
  }
  if (failed.length > 0) write(join(folder, "log.txt"), `Failed: ${failed.join(", ")}\n`);
  return failed.length === 0 ? 0 : 1;
}

function write(log: string, text: string): void {
  process.stdout.write(text);
  appendFileSync(log, text);
}

/** Returns why the step failed; null if it succeeded. */
async function runStep(step: WantedGpuStep, folder: string): Promise<string | null> {
  const { name, seconds } = step;
  const log = join(folder, "log.txt");
  write(log, `=== ${name}, at most ${seconds} s\n`);
  const start = performance.now();
  const [program = "", ...args] = commandOf(step);
  // A process group for each step: when the step ends, its servers and browsers end as well.
  const child = spawn(bin(program), args, {
    cwd: root,
    env: environment(join(folder, `${name}.json`)),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.on("data", (data: Buffer) => write(log, data.toString()));
  child.stdout.on("data", (data: Buffer) => {
    // A bench writes its result as one long line of JSON, which goes to a separate file.
    if (program === "tsx") appendFileSync(join(folder, "rows.jsonl"), data);
    else write(log, data.toString());
  });
  let isLate = false;
  const end = (signal: NodeJS.Signals) => endGroup(child.pid, signal);
  const timers = [
    setTimeout(() => {
      isLate = true;
      // Playwright reacts only to SIGINT: it names the tests that were running, and writes its report.
      end("SIGINT");
    }, seconds * 1000),
    setTimeout(() => end("SIGKILL"), seconds * 1000 + grace),
  ];
  const status = await new Promise<number | null>((ended) => {
    child.on("error", (error) => {
      write(log, `${program} could not be started: ${error.message}\n`);
      ended(null);
    });
    child.on("close", ended);
  });
  for (const timer of timers) clearTimeout(timer);
  end("SIGKILL");
  const took = Math.round((performance.now() - start) / 1000);
  const reason = isLate ? `ran past its ${seconds} s` : `status ${status}`;
  write(log, `--- ${name}: ${reason}, after ${took} s\n`);
  return status === 0 && !isLate ? null : reason;
}

function endGroup(group: number | undefined, signal: NodeJS.Signals): void {
  if (group === undefined) return;
  try {
    process.kill(-group, signal);
  } catch {
    // The process group has ended already.
  }
}

function environment(report: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    MIDTOKEN_DEVICE: "gpu",
    MIDTOKEN_GPU_SWITCHES: process.env.MIDTOKEN_GPU_SWITCHES ?? savedGpuSwitchSetName() ?? "",
    E2E_DEV_ONLY: "1",
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  };
}
