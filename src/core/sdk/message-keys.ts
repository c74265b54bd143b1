/** The known fields of a message in a prompt. */
import type { OptionKeys } from "../base/known-keys.ts";
import type { Message } from "./request.ts";

/** Fields that an answer's message also has. They say nothing to the model, so a message of a prompt may have them. */
export const answerKeys: readonly string[] = ["refusal", "annotations", "audio", "parsed", "midtoken"];

const ownKeys: OptionKeys<Message> = {
  role: true,
  content: true,
  name: true,
  tool_calls: true,
  tool_call_id: true,
};

/** The last six come with an answer's message: they are allowed, and left out of the prompt. */
export const messageKeys: readonly string[] = [...Object.keys(ownKeys), "reasoning_content", ...answerKeys];
