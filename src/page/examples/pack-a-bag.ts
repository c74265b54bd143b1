import { selfPromptMod } from "midtoken/flow";
import { choices, list } from "midtoken/strategies";

// The model picks two to four things, and decides when the list ends.
export default selfPromptMod({
  prompt: ", a little girl packed her bag. She took",
  strategy: list(choices([" a ball", " a book", " a cake", " a doll", " a hat"]), {
    separator: ",",
    min: 2,
    max: 4,
  }),
  completion: ". She was ready to go!",
});
