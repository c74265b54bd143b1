/** How much of a chat a changed conversation leaves in the cache, by the templates of real models: what two prompts share, in tokens. */
import { commonPrefixLength } from "../../../src/core/base/shared-length.ts";
import type { Message, TokenId } from "../../../src/core/sdk/request.ts";
import { createTokenizer } from "../../../src/core/tokenizer/create-tokenizer.ts";
import {
  hasTestTokenizer,
  type TestTokenizerName,
  testTokenizerData,
} from "../../../src/core/tokenizer/testing/test-tokenizers.ts";
import { createPromptFormatter } from "../../../src/runtime/engine/prompt/chat-template.ts";
import { atMost, type BenchRow, missingRows } from "../machine.ts";

const says = (role: "user" | "assistant", content: string): Message => ({ role, content });
const sentence =
  "The old lighthouse stands on a cliff above the harbor, and ships see its light from far away. ";
const turns = Array.from({ length: 40 }, (_, turn) => [
  says("user", `${turn}: ${sentence.repeat(2)}`),
  says("assistant", `${turn}, yes: ${sentence}`),
]).flat();
const thought = "<think>\nA lighthouse, then.\n</think>\n\n";

/** As templates tell a model what day it is: before everything else. */
const datedTemplate =
  "<|im_start|>system\nToday is {{ strftime_now('%d %B %Y') }}.<|im_end|>\n" +
  "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/** Tokens that are read again beyond the first change: that of the last answer, where the template writes it otherwise afterwards. */
export async function templates(): Promise<BenchRow[]> {
  const names: readonly TestTokenizerName[] = ["smollm2-135m", "qwen3-0.6b"];
  return names.flatMap((name) =>
    hasTestTokenizer(name) ? rowsOf(name) : missingRows(`what a chat shares with its next turn, ${name}`),
  );
}

function rowsOf(name: TestTokenizerName): BenchRow[] {
  const data = testTokenizerData(name);
  const tokenizer = createTokenizer(data);
  const { format } = createPromptFormatter(data.tokenizerConfig, tokenizer);
  const dated = createPromptFormatter({ ...data.tokenizerConfig, chat_template: datedTemplate }, tokenizer);
  const chat = [...turns, says("user", "And now?")];
  const prompt = format(chat);
  const answer = (text: string) => tokenizer.encode(text);
  const readAgain = (held: readonly TokenId[], next: readonly TokenId[]) =>
    held.length - commonPrefixLength(held, next);
  const plain = "It is evening.";
  const thinking = `${thought}${plain}`;
  const after = (text: string) => format([...chat, says("assistant", text), says("user", "Why?")]);
  const edited = format([...turns, says("user", "And how?")]);
  const asked = format([...turns, says("user", "")]).length;
  // Where a template strips thoughts from what was said before, the answer is read again, and nothing before it.
  const answered = (text: string) => [...prompt, ...answer(text)];
  const where = `${name}, ${prompt.length} tokens of chat`;
  return [
    atMost(
      `${where}, next turn: tokens read again`,
      readAgain(answered(plain), after(plain)),
      "",
      4 + answer(plain).length,
    ),
    atMost(
      `${where}, next turn after a thought: tokens read again`,
      readAgain(answered(thinking), after(thinking)),
      "",
      4 + answer(thinking).length,
    ),
    atMost(
      `${where}, next turn, a template with the date: tokens read again`,
      readAgain(
        [...dated.format(chat), ...answer(plain)],
        dated.format([...chat, says("assistant", plain), says("user", "Why?")]),
      ),
      "",
      4 + answer(plain).length,
    ),
    atMost(
      `${where}, last user turn edited: tokens read again`,
      readAgain(prompt, edited),
      "",
      prompt.length - asked + 16,
    ),
  ];
}
