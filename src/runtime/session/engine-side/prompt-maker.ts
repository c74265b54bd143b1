/** Renders messages that mods changed, with the request's tools and settings, and finds messages in a prompt. */
import type { ResumableWork } from "../../../core/base/resumable-work.ts";
import type { PromptMaker } from "../../../core/decoder/ports/prompt-maker.ts";
import type { TokenId } from "../../../core/sdk/request.ts";
import type { Tokenizer } from "../../../core/sdk/tokenizer.ts";
import type { TokenizerAndPrompts } from "../../engine/load/load-model.ts";
import type { PromptRequest, PromptToken } from "../shared/requests.ts";
import { promptOf, promptTextOf } from "./answer-format.ts";
import { findMessageSpans } from "./message-spans.ts";

/** @param makePrompt runs the steps of a prompt; a hostile chat template may never end */
export function createPromptMaker(
  request: PromptRequest,
  bundle: TokenizerAndPrompts,
  makePrompt: <Made>(steps: ResumableWork<Made>) => Promise<Made>,
): PromptMaker {
  return {
    render: async (messages) => makePrompt(promptOf({ ...request, messages }, bundle)),
    spans: (messages, tokens) =>
      findMessageSpans({
        messages,
        tokens,
        tokenizer: bundle.tokenizer,
        textOf: (changed) => promptTextOf({ ...request, messages: changed }, bundle),
      }),
  };
}

/** A prompt's token in readable form. A special token has no bytes, so it is shown by name. */
export function toPromptToken(token: TokenId, tokenizer: Tokenizer): PromptToken {
  const isSpecial = tokenizer.tokenBytes(token).length === 0;
  return { token, text: tokenizer.tokenText(token), ...(isSpecial && { isSpecial }) };
}
