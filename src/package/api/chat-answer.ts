/** Chat completions in OpenAI's formats, as one answer or as chunks. */
import type { ToolCall } from "../../core/sdk/request.ts";
import type { StreamedCall, StreamedCalls } from "../../core/trace/text/text-stream-events.ts";
import type { AnswerPlan } from "./answer-plan.ts";
import type { ChatCompletion, ChatCompletionChunk } from "./chat-completion.ts";
import type { RunningChoices } from "./choices.ts";
import { finishReasonOf } from "./finish-reason.ts";
import { chatLogprobs } from "./logprobs.ts";
import { type EndedChoice, usageOf } from "./usage.ts";
import { wholeChoices } from "./whole-choices.ts";

/** Rejects as `wholeChoices` does. */
export async function collectChatCompletion(
  plan: AnswerPlan,
  choices: RunningChoices,
): Promise<ChatCompletion> {
  const whole = await wholeChoices(choices);
  return {
    ...aboutAnswer(plan, choices),
    object: "chat.completion",
    choices: whole.map(({ text, reasoning, tokens, calls, finishReason }, index) => ({
      index,
      message: {
        role: "assistant",
        content: hasCalls(calls) ? text || null : text,
        refusal: null,
        ...(reasoning !== null && { reasoning_content: reasoning }),
        ...(calls.list.length > 0 && { tool_calls: calls.list.map(toToolCall) }),
        ...(calls.cut !== null && { midtoken: { cut_tool_call: calls.cut } }),
      },
      logprobs: plan.topLogprobs === null ? null : chatLogprobs(tokens, plan.topLogprobs),
      finish_reason: finishReason,
    })),
    usage: usageOf(whole, plan.choices),
    midtoken: requestIds(choices),
  };
}

/**
 * The choices are interleaved, each with its role first and its finish reason last. Throws as `choices.events()` does, and an
 * ApiError for a choice that fails.
 */
export async function* chatChunks(
  plan: AnswerPlan,
  choices: RunningChoices,
): AsyncGenerator<ChatCompletionChunk, void, undefined> {
  const { topLogprobs, includesUsage } = plan;
  const sharedFields = {
    ...aboutAnswer(plan, choices),
    object: "chat.completion.chunk" as const,
    // As in OpenAI's API, null in all chunks except the last.
    ...(includesUsage && { usage: null }),
  };
  const begunChoices = new Set<number>();
  const ended: EndedChoice[] = [];
  for await (const { choice: index, request, event } of choices.events()) {
    const chunk = (part: Partial<ChatCompletionChunk["choices"][number]>): ChatCompletionChunk => ({
      ...sharedFields,
      choices: [{ index, delta: {}, logprobs: null, finish_reason: null, ...part }],
    });
    if (!begunChoices.has(index)) {
      const isCall = event.type === "call" || (event.type === "finished" && hasCalls(event.calls));
      const first = chunk({ delta: { role: "assistant", content: isCall ? null : "" } });
      // A failed request sends no first chunk, so that the client gets only the error.
      if (event.type === "finished") finishReasonOf(event, request);
      yield begunChoices.size === 0 ? { ...first, midtoken: requestIds(choices) } : first;
      begunChoices.add(index);
    }
    switch (event.type) {
      case "retract":
        yield chunk({ delta: { midtoken: { retract: event.length } } });
        break;
      case "reasoning":
        yield chunk({ delta: { reasoning_content: event.text } });
        break;
      case "retractReasoning":
        yield chunk({ delta: { midtoken: { retract_reasoning: event.length } } });
        break;
      case "text":
        if (event.text === "" && topLogprobs === null) break;
        yield chunk({
          delta: { content: event.text },
          logprobs: topLogprobs === null ? null : chatLogprobs(event.tokens, topLogprobs),
        });
        break;
      case "call": {
        const { place, id, name } = event;
        const call = { index: place, ...toToolCall({ id, name, arguments: "" }) };
        yield chunk({ delta: { tool_calls: [call] } });
        break;
      }
      case "callArguments": {
        const { place, text } = event;
        yield chunk({ delta: { tool_calls: [{ index: place, function: { arguments: text } }] } });
        break;
      }
      case "finished": {
        const finish_reason = finishReasonOf(event, request);
        const { cut } = event.calls;
        yield chunk({ finish_reason, ...(cut !== null && { delta: { midtoken: { cut_tool_call: cut } } }) });
        ended[index] = event;
      }
    }
  }
  if (includesUsage) yield { ...sharedFields, choices: [], usage: usageOf(ended, plan.choices) };
}

/** The fields that every chunk of an answer has. */
function aboutAnswer({ model }: AnswerPlan, { started: [first] }: RunningChoices) {
  return { id: `chatcmpl-${first?.id}`, created: Math.floor((first?.createdAt ?? 0) / 1000), model };
}

const requestIds = ({ started }: RunningChoices) => ({ request_ids: started.map(({ id }) => id) });

/** In OpenAI's shape. */
export function toToolCall({ id, name, arguments: written }: StreamedCall): ToolCall {
  return { id, type: "function", function: { name, arguments: written } };
}

const hasCalls = ({ list, cut }: StreamedCalls) => list.length > 0 || cut !== null;
