/** A mod that reads the probability of each option of a question, for tests of several places in which mods run. */

/** The option " girl" is by far the most likely after "there was a little". */
export const scoredFlowSource = `import { end, flow, message, question } from "midtoken/flow";

const who = question({
  name: "who",
  prompt: ", there was a little",
  responses: [" girl", " boy", " dinosaur"],
  erase: "all",
  scores: true,
});
who.branch(({ scores }) => {
  const [girl, boy, dinosaur] = (scores.who ?? []).map(({ probability }) => probability);
  console.log(JSON.stringify([girl, boy, dinosaur]));
  return (girl ?? 0) > 0.5 ? message(", a girl.") : end();
});

export default flow({ entry: who }).asMod();
`;
