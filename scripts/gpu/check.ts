/** `check`: finds the Chromium switches that give WebGPU on this machine, and prints the adapter. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "../../src/core/base/message-of.ts";
import { chromiumArgs, type GpuSwitchSet, gpuSwitchSets } from "../chromium-switches.ts";
import { root } from "../install.mjs";
import { type AdapterRecord, adapterText, readAdapter, whyNoGraphicsCard } from "./adapter-record.ts";
import { checkShader, type ShaderCheckResult } from "./compute.ts";
import { runOnEmptyPage } from "./read-adapter.ts";

/** The file in which `check` saves the name of the set that worked, for `run`. */
const keptFile = join(root, ".cache/gpu-switches");
/** Milliseconds for Chromium to start with a set of switches. */
const patience = 45_000;

/** The saved set of switches; undefined if there is none. */
export function savedGpuSwitchSetName(): string | undefined {
  try {
    return readFileSync(keptFile, "utf8").trim();
  } catch {
    return undefined;
  }
}

/**
 * Tries the sets in order until Chromium offers a card that computes correctly. Returns the exit status of the command: 4 if
 * there is no card, 5 if a card computes wrong results.
 */
export async function checkGpu(log: (line: string) => void = console.log): Promise<number> {
  for (const name of Object.keys(gpuSwitchSets) as GpuSwitchSet[]) {
    const start = performance.now();
    const found = await attempt(name);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if ("fault" in found) {
      log(`${name}: ${found.fault} (${seconds} s)`);
      continue;
    }
    log(`${name}: ${adapterText(found.adapter)} (${seconds} s)`);
    mkdirSync(dirname(keptFile), { recursive: true });
    writeFileSync(keptFile, `${name}\n`);
    return tell(found.adapter, found.computed, log);
  }
  log("Chromium offers no graphics card. Set DEBUG=pw:browser before the command to see what Chromium says.");
  log("Where no driver is found: VK_DRIVER_FILES=/path/to/nvidia_icd.json before the command.");
  return 4;
}

function tell(adapter: AdapterRecord, computed: ShaderCheckResult, log: (line: string) => void): number {
  log(`adapter: ${JSON.stringify(adapter)}`);
  log(`limits: ${JSON.stringify(computed.limits)}`);
  log(
    `readback of 16 bytes ${computed.readbackMs.toFixed(2)} ms; a dispatch ${computed.dispatchUs.toFixed(1)} µs`,
  );
  for (const error of computed.errors) log(`error of the device: ${error}`);
  log(`a shader computed ${computed.result}; 7 is right`);
  return computed.result === 7 && computed.errors.length === 0 ? 0 : 5;
}

type Attempt =
  | { readonly fault: string }
  | { readonly adapter: AdapterRecord; readonly computed: ShaderCheckResult };

async function attempt(name: GpuSwitchSet): Promise<Attempt> {
  try {
    const args = chromiumArgs("gpu", { ...process.env, MIDTOKEN_GPU_SWITCHES: name });
    return await runOnEmptyPage(
      args,
      async (page): Promise<Attempt> => {
        const adapter = await readAdapter(page);
        if (!adapter || whyNoGraphicsCard(adapter)) return { fault: adapterText(adapter) };
        return { adapter, computed: await checkShader(page) };
      },
      { timeout: patience },
    );
  } catch (error) {
    return { fault: messageOf(error).split("\n").slice(0, 3).join(" ") };
  }
}
