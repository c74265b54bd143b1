/** Processor time and memory of schemas, patterns and grammars that ask for much work, in a process whose heap is limited. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { hostileInputs } from "../../../src/core/masks/testing/hostile.ts";
import { atMost, type BenchRow, exactly, figure } from "../machine.ts";
import type { HostileTimes } from "./hostile-process.ts";

/** Megabytes of the process's heap. */
const HEAP = 300;
const SHOWN = 5;

export async function hostileRows(): Promise<BenchRow[]> {
  const path = fileURLToPath(new URL("hostile-process.ts", import.meta.url));
  const options = [`--max-old-space-size=${HEAP}`, "--import", "tsx", "--no-warnings"];
  const child = fork(path, { execArgv: options });
  const all: HostileTimes[] = [];
  child.on("message", (times: HostileTimes) => all.push(times));
  await once(child, "exit");
  for (const { name, wrong } of all) if (wrong !== "") console.error(`  ${name}: ${wrong}`);
  const slowest = all.toSorted((one, other) => timeOf(other) - timeOf(one)).slice(0, SHOWN);
  for (const each of slowest) console.error(`  ${each.name}: ${JSON.stringify(each)}`);
  const most = (value: (times: HostileTimes) => number) => Math.max(...all.map(value));
  return [
    exactly(`hostile inputs within ${HEAP} MB of heap`, all.length, "inputs", hostileInputs.length),
    exactly(
      "hostile inputs: wrong or late errors",
      all.filter(({ wrong }) => wrong !== "").length,
      "inputs",
      0,
    ),
    figure("hostile inputs: refused when made", all.filter(({ refused }) => refused).length, "inputs"),
    atMost(
      "hostile inputs: processor time of a strategy, worst",
      most(({ made }) => made),
      "ms",
      1000,
    ),
    atMost(
      "hostile inputs: processor time of a mask, worst of 20",
      most(({ slowest: mask }) => mask),
      "ms",
      1000,
    ),
    figure(
      "hostile inputs: memory of the process, with tokenizer",
      most(({ memory }) => memory),
      "MB",
    ),
  ];
}

function timeOf({ made, slowest }: HostileTimes): number {
  return Math.max(made, slowest);
}
