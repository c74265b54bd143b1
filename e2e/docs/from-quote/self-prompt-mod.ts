import { selfPromptMod } from "midtoken/flow";
import { choices } from "midtoken/strategies";

export default selfPromptMod({
  prompt: ", there was a big",
  strategy: choices([" cat", " dog"]),
  completion: " who could talk.",
});
