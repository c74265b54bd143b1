/** A mod host without a sandbox, for mods that this repository wrote: the same runner, called directly. */
import { messageOf } from "../../../core/base/message-of.ts";
import {
  type LoopEvent,
  type ModFault,
  type ModHost,
  type ModReply,
  requireAllLogits,
} from "../../../core/decoder/ports/mod-host.ts";
import { UnsentOutputChanges } from "../../../core/decoder/ports/output-changes.ts";
import { InvalidActionError } from "../../../core/sdk/action.ts";
import { createModRunner } from "../../../core/sdk/runner.ts";
import type { Tokenizer } from "../../../core/sdk/tokenizer.ts";
import type { WireEvent, WireTop } from "../../../core/sdk/wire-event.ts";
import { toWireActivations } from "../../../runtime/sandbox/to-wire-event.ts";
import { loadModSource } from "./load-source.ts";

/** `print` is given each line that the mod writes with `console`. */
export function inProcessMod(
  source: string,
  tokenizer: Tokenizer,
  print: (line: string) => void = () => {},
): ModHost {
  const { exports, reads } = loadModSource(source, print);
  const runner = createModRunner(exports, { tokenizer, reads });
  const changes = new UnsentOutputChanges();
  const toWire = (event: LoopEvent): WireEvent => {
    if (event.type === "prefilled" || event.type === "finished") return event;
    const { emitted, ...fields } = event;
    const output = reads.output && { output: changes.next(emitted) };
    if (fields.type !== "forwardPass") return { ...fields, ...output };
    const { logits: _, top: topOfRow, activations: stepActivations, ...rest } = fields;
    const activations =
      stepActivations &&
      runner.needs.activations &&
      toWireActivations(stepActivations, runner.needs.activations);
    const top = topOfRow?.(runner.needs.topK) ?? topK(requireAllLogits(fields), runner.needs.topK);
    const logits = runner.needs.logits && { logits: requireAllLogits(fields).slice() };
    return { ...rest, top, ...logits, ...(activations && { activations }), ...output };
  };
  return {
    name: runner.name,
    handles: new Set(runner.handles),
    needs: runner.needs,
    async ask(event, score): Promise<ModReply> {
      try {
        const { action } = await runner.handle(toWire(event), score);
        return { action, fault: null, console: [] };
      } catch (error) {
        return { action: { type: "noop" }, fault: toFault(error), console: [] };
      }
    },
    dispose() {},
  };
}

function toFault(error: unknown): ModFault {
  const kind = error instanceof InvalidActionError ? "invalid-action" : "threw";
  return { kind, message: messageOf(error) };
}

/** The `count` largest, with log-probabilities over all. */
function topK(logits: Float32Array, count: number): WireTop {
  const largest = logits.reduce((a, b) => Math.max(a, b));
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - largest), 0);
  const tokens = Array.from(logits.keys())
    .sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0))
    .slice(0, count);
  return { tokens, logprobs: tokens.map((token) => (logits[token] ?? 0) - largest - Math.log(sum)) };
}
