/** Text completions in OpenAI's formats, as one answer or as chunks. */
import type { RunningChoices } from "./choices.ts";
import { finishReasonOf } from "./finish-reason.ts";
import { textLogprobs } from "./logprobs.ts";
import type { TextPlan } from "./read-text-request.ts";
import type { TextCompletion } from "./text-completion.ts";
import { type EndedChoice, usageOf } from "./usage.ts";
import { wholeChoices } from "./whole-choices.ts";

/** Rejects as `wholeChoices` does. */
export async function collectTextCompletion(
  plan: TextPlan,
  choices: RunningChoices,
): Promise<TextCompletion> {
  const whole = await wholeChoices(choices);
  return {
    ...aboutAnswer(plan, choices),
    choices: whole.map(({ text, tokens, finishReason }, index) => ({
      index,
      text: `${plan.echoes[index]}${text}`,
      logprobs: plan.topLogprobs === null ? null : textLogprobs(tokens, plan.topLogprobs, 0),
      finish_reason: endOf(finishReason),
    })),
    usage: usageOf(whole, plan.choices),
    midtoken: { request_ids: choices.started.map(({ id }) => id) },
  };
}

/** The choices are interleaved, each with its finish reason last. Throws as `choices.events()` does, and an ApiError for a choice that fails. */
export async function* textChunks(
  plan: TextPlan,
  choices: RunningChoices,
): AsyncGenerator<TextCompletion, void, undefined> {
  const { topLogprobs, includesUsage, echoes } = plan;
  const sharedFields = { ...aboutAnswer(plan, choices), ...(includesUsage && { usage: null }) };
  const ended: EndedChoice[] = [];
  /** UTF-16 length of each choice's text so far; undefined before its first piece. */
  const lengths: number[] = [];
  let isFirst = true;
  for await (const { choice: index, request, event } of choices.events()) {
    const chunk = (part: Partial<TextCompletion["choices"][number]>): TextCompletion => {
      const ids = isFirst && { midtoken: { request_ids: choices.started.map(({ id }) => id) } };
      isFirst = false;
      const choice = { index, text: "", logprobs: null, finish_reason: null, ...part };
      return { ...sharedFields, ...ids, choices: [choice] };
    };
    const finish_reason = event.type === "finished" ? finishReasonOf(event, request) : null;
    const echo = lengths[index] === undefined ? (echoes[index] ?? "") : "";
    if (echo !== "") yield chunk({ text: echo });
    const length = lengths[index] ?? 0;
    lengths[index] = length;
    switch (event.type) {
      case "retract":
        lengths[index] = length - event.length;
        yield chunk({ midtoken: { retract: event.length } });
        break;
      case "text":
        lengths[index] = length + event.text.length;
        if (event.text === "" && topLogprobs === null) break;
        yield chunk({
          text: event.text,
          logprobs: topLogprobs === null ? null : textLogprobs(event.tokens, topLogprobs, length),
        });
        break;
      case "finished":
        ended[index] = event;
        yield chunk({ finish_reason: endOf(finish_reason) });
    }
  }
  if (includesUsage) yield { ...sharedFields, choices: [], usage: usageOf(ended, plan.choices) };
}

function aboutAnswer({ model }: TextPlan, { started: [first] }: RunningChoices) {
  return {
    id: `cmpl-${first?.id}`,
    object: "text_completion" as const,
    model,
    created: Math.floor((first?.createdAt ?? 0) / 1000),
  };
}

/** The finish reason for a plain text. A mod may write tool calls although no tools were offered, and OpenAI's text call has no finish reason for that. */
const endOf = (reason: ReturnType<typeof finishReasonOf> | null) =>
  reason === "tool_calls" ? "stop" : reason;
