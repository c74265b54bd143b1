import { selfPromptMod } from "midtoken/flow";
import { grammar } from "midtoken/strategies";

// A rule of a grammar may contain itself: each animal can bring another animal, until a full stop ends the sentence.
export default selfPromptMod({
  strategy: grammar(`
    root ::= ", there was" name " who" verb animal "."
    animal ::= name | name " who" verb animal
    name ::= " a big " kind | " a little " kind
    kind ::= "dog" | "cat" | "bird" | "girl"
    verb ::= " saw" | " liked" | " played with"
  `),
  temperature: 1,
});
