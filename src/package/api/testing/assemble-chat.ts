/** Joins the chunks of a stream as OpenAI's clients do. */
import type { ToolCall } from "../../../core/sdk/request.ts";
import type { ChatCompletionChunk, ChatFinishReason, CutCall } from "../chat-completion.ts";

export interface AssembledChat {
  readonly content: string | null;
  readonly calls: readonly ToolCall[];
  readonly finish_reason: ChatFinishReason | null | undefined;
  readonly midtoken: CutCall | undefined;
}

export async function assembleChat(chunks: AsyncIterable<ChatCompletionChunk>): Promise<AssembledChat> {
  let content: string | null = null;
  let finish_reason: ChatFinishReason | null = null;
  let midtoken: CutCall | undefined;
  const calls: { id: string; type: "function"; function: { name: string; arguments: string } }[] = [];
  for await (const { choices } of chunks) {
    const [choice] = choices;
    if (!choice) continue;
    const { delta } = choice;
    if (typeof delta.content === "string") content = (content ?? "") + delta.content;
    for (const { index, id = "", function: called } of delta.tool_calls ?? []) {
      calls[index] ??= { id, type: "function", function: { name: called?.name ?? "", arguments: "" } };
      calls[index].function.arguments += called?.arguments ?? "";
    }
    finish_reason = choice.finish_reason ?? finish_reason;
    midtoken = delta.midtoken ?? midtoken;
  }
  return { content: content || null, calls, finish_reason, midtoken };
}
