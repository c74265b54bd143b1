import { selfPrompt } from "midtoken/flow";
import { mod, requestState } from "midtoken/mod";
import { until } from "midtoken/strategies";

const least = 0.35;
const logprobs = requestState<number[]>(() => []);
const ask = selfPrompt({
  prompt: "\n\nI am not sure what you mean, so I ask:",
  strategy: until({ start: " Which", end: "?", maxTokens: 24 }),
  erase: "all",
  temperature: 0,
});

// If the last ten tokens are unlikely (their geometric mean is below 0.35), a question to the user becomes the whole output.
export default mod((event, actions, tokenizer) => {
  const recent = logprobs.current.slice(-10);
  const mean = Math.exp(recent.reduce((sum, logprob) => sum + logprob, 0) / recent.length);
  if (recent.length < 10 || mean >= least) {
    if (event.type === "sampled") logprobs.current.push(event.logprob);
    return;
  }
  const action = ask.handle(event, actions, tokenizer);
  const question = ask.answer();
  if (question === null) return action;
  if (event.type === "added" || event.type === "forwardPass") return actions.forceOutput(question);
});
