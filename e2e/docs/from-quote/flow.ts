import { flow, message, question } from "midtoken/flow";

const size = question({ name: "size", prompt: " The dog was ", responses: ["big", "small"], erase: "all" });
const color = question({ name: "color", prompt: " It was ", responses: ["red", "blue"], erase: "all" });

size.on("big", color).otherwise(message(" It was a small dog."));
color.then(({ answers }) => message(` It was a ${answers.size}, ${answers.color} dog.`));

export default flow({ entry: size }).asMod();
