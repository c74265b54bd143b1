import { selfPromptMod } from "midtoken/flow";
import { choices } from "midtoken/strategies";

// The model may choose, but only among these.
export default selfPromptMod({
  prompt: ", there was a big",
  strategy: choices([" cat", " dog", " bird", " bear"]),
  completion: " who could talk.",
});
