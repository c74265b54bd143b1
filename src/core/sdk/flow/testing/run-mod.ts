/** Runs mods, as values, on a scripted model that writes one text and then ends, whatever the prompt. */
import type { LoopEvent, ModFault, ModHost, ModReply } from "../../../decoder/ports/mod-host.ts";
import { UnsentOutputChanges } from "../../../decoder/ports/output-changes.ts";
import { byteTokenizer, END } from "../../../decoder/testing/byte-tokenizer.ts";
import { type RunOptions, type RunResult, runDecode } from "../../../decoder/testing/run-decode.ts";
import { traceLog } from "../../../decoder/testing/trace-log.ts";
import { InvalidActionError } from "../../action.ts";
import type { Mod } from "../../mod.ts";
import type { TokenId } from "../../request.ts";
import { createModRunner } from "../../runner.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import type { WireEvent } from "../../wire-event.ts";

export interface ModRun extends RunResult {
  readonly text: string;
  /** See `traceLog`. */
  readonly log: string;
  /** Messages of the errors in mods. */
  readonly faults: readonly string[];
}

/** A mod host that runs the mod in this process. */
export function hostOf(mod: Mod, tokenizer: Tokenizer): ModHost {
  const runner = createModRunner({ default: mod }, { tokenizer });
  const changes = new UnsentOutputChanges();
  const toWire = (event: LoopEvent): WireEvent => {
    if (event.type === "prefilled" || event.type === "finished") return event;
    const { emitted, ...facts } = event;
    const output = changes.next(emitted);
    if (facts.type !== "forwardPass") return { ...facts, output };
    const { logits: _, activations: __, ...about } = facts;
    return { ...about, top: { tokens: [], logprobs: [] }, output };
  };
  return {
    name: runner.name,
    handles: new Set(runner.handles),
    needs: { topK: 0, logits: false },
    async ask(event, score): Promise<ModReply> {
      try {
        const { action } = await runner.handle(toWire(event), score);
        return { action, fault: null, console: [] };
      } catch (error) {
        const kind: ModFault["kind"] = error instanceof InvalidActionError ? "invalid-action" : "threw";
        return {
          action: { type: "noop" },
          fault: { kind, message: (error as Error).message },
          console: [],
        };
      }
    },
    dispose() {},
  };
}

/**
 * A scripted model. `says` has, for each text with which the context may end, the text that continues it; the longest such
 * text counts. The bytes of the continuation get the highest logits, the first byte the highest of all; without a
 * continuation, the end-of-sequence token does.
 */
export function createScriptedLogits(
  says: Readonly<Record<string, string>>,
): (context: readonly TokenId[]) => Float32Array {
  const entries = Object.entries(says).sort(([a], [b]) => b.length - a.length);
  return (context) => {
    const text = byteTokenizer.decode(context);
    const liked = entries.find(([before]) => text.endsWith(before))?.[1] ?? "";
    const logits = new Float32Array(257).fill(-20);
    logits[END] = liked === "" ? 5 : -5;
    for (const [place, byte] of byteTokenizer.encode(liked).entries()) {
      logits[byte] = Math.max(logits[byte] ?? 0, 10 - place / 100);
    }
    return logits;
  };
}

export async function runMods(mods: readonly Mod[], options: RunOptions = {}): Promise<ModRun> {
  const tokenizer = options.tokenizer ?? byteTokenizer;
  const result = await runDecode({ ...options, mods: mods.map((mod) => hostOf(mod, tokenizer)) });
  const faults = result.records.flatMap((record) =>
    record.type === "modCall" && record.fault ? [record.fault.message] : [],
  );
  return { ...result, text: result.finished.text, log: traceLog(result.records), faults };
}
