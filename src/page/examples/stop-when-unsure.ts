import { mod } from "midtoken/mod";

// A token that only the last layer would choose, with a probability of at most 50 %, is a guess: the answer ends before it.
export default mod({
  lens: "all",
  forwardPass(event, actions, tokenizer) {
    const [said] = event.topK(1);
    if (!said) return;
    const isLate = event.lens(event.layerCount - 2, 1)[0]?.token !== said.token;
    const chance = Math.exp(said.logprob);
    if (!isLate || chance > 0.5) return;
    console.log(
      `${JSON.stringify(tokenizer.tokenText(said.token))} is a guess: ${(100 * chance).toFixed(0)}%`,
    );
    if (event.step >= 4) return actions.forceOutput(`${event.output.text} … (I am not sure.)`);
  },
});
