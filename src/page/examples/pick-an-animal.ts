import { selfPromptMod } from "midtoken/flow";
import { choices } from "midtoken/strategies";

// The model can only choose one of these four animals.
export default selfPromptMod({
  prompt: ", there was a big",
  strategy: choices([" cat", " dog", " bird", " bear"]),
  completion: " who could talk.",
});
