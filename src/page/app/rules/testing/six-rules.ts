// Made with "Rules". That panel can change this mod until someone edits the code by hand.
import { selfPrompt } from "midtoken/flow";
import { type EventOf, mod, requestState } from "midtoken/mod";
import { choices } from "midtoken/strategies";

const rules = [
  { when: { promptContains: "story" }, do: { startWith: "Hi there. " } },
  { when: { textContains: "dog" }, do: { replace: "dog", with: "hen" } },
  { when: { always: true }, do: { ban: ["down", "One"] } },
  { when: { afterTokens: 2 }, do: { ask: "Q", answers: ["yes", "no"] } },
  { when: { probabilityBelow: 0.5 }, do: { insert: "hen" } },
  { when: { atSentenceEnd: 1 }, do: { stop: true } },
] as const;

/** Indices of the rules that apply from now on, counted from 0. */
const active = requestState(() => new Set<number>());
/** Indices of the rules that have inserted their text. */
const done = requestState(() => new Set<number>());

const question3 = selfPrompt({
  prompt: ` ${rules[3].do.ask} `,
  strategy: choices([...rules[3].do.answers]),
  erase: "all",
  temperature: 0,
});

const sentencesIn = (text: string) => text.match(/[.!?]+["”’)]*(?=\s|$)/g)?.length ?? 0;

/** Adds a space before the text if it would otherwise join the word before it. */
const spaced = (before: string, text: string) =>
  /^$|[\s("“]$/.test(before) || /^[\s.,;:!?)”’]/.test(text) ? text : ` ${text}`;

function check(event: EventOf<"forwardPass" | "added">) {
  if (event.output.text.includes(rules[1].when.textContains)) active.current.add(1);
  if (event.step >= rules[3].when.afterTokens) active.current.add(3);
  if (sentencesIn(event.output.text) >= rules[5].when.atSentenceEnd) active.current.add(5);
}

export default mod({
  prefilled(event) {
    const texts = event.messages.flatMap(({ content }) =>
      typeof content === "string" ? [content] : (content ?? []).map(({ text }) => text ?? ""),
    );
    const prompt = texts.join("\n");
    if (prompt.includes(rules[0].when.promptContains)) active.current.add(0);
    active.current.add(2);
  },

  forwardPass(event, actions, tokenizer) {
    if (event.hidden) {
      if (active.current.has(3) && question3.answer() === null) {
        return question3.handle(event, actions, tokenizer);
      }
      return;
    }
    check(event);
    const [likeliest] = event.topK(1);
    const probability = likeliest ? Math.exp(likeliest.logprob) : 1;
    if (probability < rules[4].when.probabilityBelow) active.current.add(4);
    if (active.current.has(0) && !done.current.has(0)) {
      done.current.add(0);
      return actions.forceTokens(rules[0].do.startWith);
    }
    if (active.current.has(3) && question3.answer() === null) {
      return question3.handle(event, actions, tokenizer);
    }
    if (active.current.has(4) && !done.current.has(4)) {
      done.current.add(4);
      return actions.forceTokens(spaced(event.output.text, rules[4].do.insert));
    }
    if (active.current.has(5)) return actions.forceOutput(event.output.tokens);
    const ban: string[] = [];
    if (active.current.has(2)) ban.push(...rules[2].do.ban);
    if (ban.length > 0) return actions.adjustLogits({ ban });
  },

  added(event, actions, tokenizer) {
    if (event.hidden) {
      if (active.current.has(3) && question3.answer() === null) {
        return question3.handle(event, actions, tokenizer);
      }
      return;
    }
    if (event.forced) return;
    check(event);
    if (active.current.has(1)) {
      const { replace, with: other } = rules[1].do;
      const last = event.output.lastTokensWith(replace);
      const text = last?.text.replace(replace, () => other);
      if (last) return actions.backtrack(last.count, text);
    }
  },
});
