/** Opens an engine for a command, and shows its progress on the terminal. */

import { formatBytes } from "../../../core/base/number-text.ts";
import type { LoadProgress } from "../../../runtime/engine/base/model-reference.ts";
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";
import { type NodeEngineOptions, openNodeEngine } from "../create-node-engine.ts";
import type { Terminal } from "./terminal.ts";

export async function openEngineWithProgress(
  terminal: Terminal,
  options: Omit<NodeEngineOptions, "signal" | "onProgress" | "onNotice">,
): Promise<MidtokenEngine> {
  const { progress, signal } = terminal;
  // The environment variable that the hub's own tools use.
  const hubToken = terminal.environment.HF_TOKEN;
  try {
    return await openNodeEngine({
      ...options,
      signal,
      ...(hubToken !== undefined && hubToken !== "" && { hubToken }),
      onNotice: (notice) => terminal.tell(notice),
      ...(progress && { onProgress: (step) => progress(formatProgress(step)) }),
    });
  } finally {
    progress?.("");
  }
}

function formatProgress({ stage, file, loadedBytes, totalBytes, fromCache }: LoadProgress): string {
  if (stage !== "download") return `${stage === "compile" ? "preparing" : "checking"} ${file} …`;
  const share = totalBytes > 0 ? ` of ${formatBytes(totalBytes)}` : "";
  return `${fromCache ? "reading" : "fetching"} ${file}: ${formatBytes(loadedBytes)}${share}`;
}
