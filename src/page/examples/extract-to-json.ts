import { flow, output, question } from "midtoken/flow";
import { getConversation } from "midtoken/mod";
import { chars, choices, regex } from "midtoken/strategies";

const said = () => getConversation().at(-1)?.content;
const hidden = { erase: "all", temperature: 0 } as const;

const name = question({
  name: "name",
  prompt: () => `${said()}\nThe name of the person is `,
  strategy: regex(/[A-Z][a-z]{1,11}/),
  ...hidden,
});
const age = question({
  name: "age",
  prompt: () => `${said()}\nThe age of the person in years is `,
  strategy: chars("digits", { min: 1, max: 3 }),
  ...hidden,
});
const job = question({
  name: "job",
  // Examples help a small model more than instructions.
  prompt: () =>
    [
      '"He helps sick people." Job: doctor',
      '"She has a farm." Job: farmer',
      '"He works at a school." Job: teacher',
      `"${said()}" Job: `,
    ].join("\n"),
  strategy: choices(["teacher", "doctor", "farmer"]),
  ...hidden,
});

name.then(age);
age.then(job);
job.then(({ answers }) => output(JSON.stringify({ ...answers, age: Number(answers.age) })));

export default flow({ entry: name }).asMod();
