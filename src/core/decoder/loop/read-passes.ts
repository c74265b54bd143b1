/** A prompt, or more, read in several passes: a pause or a cancel is heard between two. */
import { untilAborted } from "../../base/abort.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { PassResult } from "../kv-cache/forward-pass.ts";
import type { DecodeState } from "./decode-state.ts";

/** Makes the KV cache hold these tokens. Each pass but the one that reads the output's last token is written down as it ends: the progress is read from the trace. @throws ForwardError, or the signal's reason. */
export function readPasses(
  { ports, output, recorder }: DecodeState,
  tokens: readonly TokenId[],
  rows = 1,
): Promise<PassResult> {
  const { kvCache, now, signal, pausePoint } = ports;
  return kvCache.prefill(tokens, {
    promptLength: output.promptLength,
    now,
    rows,
    beforePass: () => untilAborted(pausePoint?.("pass") ?? Promise.resolve(), signal),
    onPass(pass, contextLength) {
      if (contextLength < output.sequence.length)
        recorder.forwardPass(output.length, pass, contextLength, null);
    },
  });
}
