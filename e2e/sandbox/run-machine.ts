/** Compares a mod with a worker without a sandbox: the ways past the wall, and 1,000 generated uses of Date and Intl. */

import {
  findMachineLeak,
  machineLeakAttempts,
  machineLeakAttemptsText,
} from "../../src/runtime/sandbox/testing/machine-leak-attempts.ts";
import { runDateAndIntlUses } from "../../src/runtime/sandbox/testing/machine-uses.ts";
import { compile, type Harness, within } from "./harness.ts";
import type { Outcome, SuiteReport } from "./targets.ts";

export type MachineView = Pick<SuiteReport, "outcomes" | "uses">;

type AttemptResults = readonly (readonly [name: string, value: unknown])[];

const longest = 60_000;
const seed = 20_261_122;

/** The result of each use as a hash (FNV-1a): all results together are more than a mod's console holds. */
function hashed(uses: readonly (readonly [string, string])[]): [string, string][] {
  return uses.map(([use, result]) => {
    let hash = 0x811c9dc5;
    for (let place = 0; place < result.length; place++) {
      hash = Math.imul(hash ^ result.charCodeAt(place), 0x01000193);
    }
    return [use.slice(0, 32), (hash >>> 0).toString(16)];
  });
}

/** Both lists as one expression, for any realm. Every name is of these two functions' own. */
const usesText = `(${hashed})((${runDateAndIntlUses})(1000, ${seed}))`;
const waysText = machineLeakAttemptsText(machineLeakAttempts);

/** Characters of one line of a mod's console. */
const lineLength = 8_000;

async function inSandbox(harness: Harness, expression: string): Promise<AttemptResults> {
  const source = `// @ts-nocheck
import { mod } from "midtoken/mod";
export default mod({ prefilled() {
  const results = JSON.stringify(${expression});
  for (let from = 0; from < results.length; from += ${lineLength}) console.log(results.slice(from, from + ${lineLength}));
} });`;
  const running = harness.run(compile(source), { deadlines: { prefilled: longest } });
  const { replies } = await within(2 * longest, running, "the mod that looks for the machine");
  const [reply] = replies;
  if (!reply || reply.fault)
    throw new Error(`The mod that looks for the machine failed: ${reply?.fault?.message}`);
  return JSON.parse(reply.console.map(({ text }) => text).join("")) as AttemptResults;
}

async function inPlainWorker(expression: string): Promise<AttemptResults> {
  const text = `"use strict"; postMessage(JSON.stringify(${expression}));`;
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const results = new Promise<AttemptResults>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<string>) => resolve(JSON.parse(data));
    worker.onerror = (event) => reject(new Error(`The worker without a sandbox failed: ${event.message}`));
  });
  return within(longest, results, "the worker without a sandbox").finally(() => worker.terminate());
}

function outcomesOf(results: AttemptResults, mode: "sandbox" | "control"): Outcome[] {
  if (results.length !== machineLeakAttempts.length)
    throw new Error(`${results.length} ways of ${machineLeakAttempts.length} were tried.`);
  return machineLeakAttempts.map((way, place) => {
    const value = results[place]?.[1];
    return {
      name: way.name,
      mode,
      leak: findMachineLeak(way, value, Date.now()),
      note: JSON.stringify(value),
    };
  });
}

const lines = (results: AttemptResults) => results.map(([use, hash]) => `${use} ${hash}`);

export async function runMachine(harness: Harness): Promise<MachineView> {
  const outcomes = [
    ...outcomesOf(await inSandbox(harness, waysText), "sandbox"),
    ...outcomesOf(await inPlainWorker(waysText), "control"),
  ];
  const uses = {
    sandbox: lines(await inSandbox(harness, usesText)),
    control: lines(await inPlainWorker(usesText)),
  };
  return { outcomes, uses };
}
