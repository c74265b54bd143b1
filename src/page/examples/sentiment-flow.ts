import { flow, message, question } from "midtoken/flow";
import { getConversation } from "midtoken/mod";

const review = () => getConversation().at(-1)?.content;

const mood = question({
  name: "mood",
  prompt: () =>
    `"I liked it, thank you!" is a good review.\n"Never again." is a bad review.\n"${review()}" is a `,
  responses: ["good", "bad"],
  completion: " review.\n",
  erase: "all",
  temperature: 0,
});
const topic = question({
  name: "topic",
  prompt: () =>
    `"The waiter was rude." is about the service.\n"Too expensive." is about the price.\n"The bread was old." is about the food.\n"${review()}" is about the `,
  responses: ["food", "service", "price"],
  erase: "all",
  temperature: 0,
});

mood.on("good", message("Thank you for your kind words!", { end: true }));
mood.then(topic);
topic.then(({ answers }) => message(`We are sorry about the ${answers.topic}.`, { end: true }));

export default flow({ entry: mood }).asMod();
