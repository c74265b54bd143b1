/** Reads a prompt, or a longer text, in several passes. A pause or a stop takes effect between two passes. */
import { untilAborted } from "../../base/abort.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { PassResult } from "../kv-cache/forward-pass.ts";
import type { DecodeState } from "./decode-state.ts";
import { tokensAllowedAhead } from "./limits.ts";

/** Makes the KV cache hold these tokens. Each pass is recorded when it ends, except the pass that reads the output's last token: the records show the progress. @throws ForwardError, or the signal's reason. */
export function prefillAndRecord(
  state: DecodeState,
  tokens: readonly TokenId[],
  rows = 1,
): Promise<PassResult> {
  const { ports, output, recorder } = state;
  const { kvCache, now, signal, pausePoint } = ports;
  const isGreedy = state.request.sampling.temperature === 0;
  const isWhole = tokens.length === output.sequence.length;
  return kvCache.prefill(tokens, {
    promptLength: output.promptLength,
    now,
    rows,
    // If the end of the text is healed, several rows are needed. Further questions about them follow where tokens are drawn,
    // so a server must not stream ahead there.
    ahead:
      isWhole && (rows === 1 || isGreedy) && !state.activations ? () => tokensAllowedAhead(state) : undefined,
    beforePass: () => untilAborted(pausePoint?.("pass") ?? Promise.resolve(), signal),
    onPass(pass, contextLength) {
      if (contextLength < output.sequence.length)
        recorder.forwardPass(output.length, pass, contextLength, null);
    },
  });
}
