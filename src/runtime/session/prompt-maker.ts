/** Renders messages that mods changed, with the request's tools and settings, and finds the messages in a prompt. */
import type { Steps } from "../../core/base/steps.ts";
import type { PromptMaker } from "../../core/decoder/ports/prompt-maker.ts";
import type { TextParts } from "../engine/load-model.ts";
import { promptOf, promptTextOf } from "./answer-format.ts";
import { findMessages } from "./message-spans.ts";
import type { PromptRequest } from "./protocol.ts";

/** @param makePrompt runs the steps of a prompt; a hostile chat template may never end */
export function createPromptMaker(
  request: PromptRequest,
  parts: TextParts,
  makePrompt: <Made>(steps: Steps<Made>) => Promise<Made>,
): PromptMaker {
  return {
    render: async (messages) => makePrompt(promptOf({ ...request, messages }, parts)),
    spans: (messages, tokens) =>
      findMessages({
        messages,
        tokens,
        tokenizer: parts.tokenizer,
        textOf: (changed) => promptTextOf({ ...request, messages: changed }, parts),
      }),
  };
}
