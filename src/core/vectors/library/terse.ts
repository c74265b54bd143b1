import type { HandwrittenExample } from "./example.ts";

export const terse: HandwrittenExample = {
  name: "terse",
  layer: 13,
  does: "Answers end after one or two sentences; at a scale below 0, answers become flowery, with marvels and “the fabric of memories”.",
  breaks:
    "At 2 only some answers are shorter. At 4 most answers are shorter, but some do not answer the question: “I’m happy to help with that.” At -4 the model repeats “a house of a house”.",
  texts: {
    tokens: "last",
    as: "message",
    toward: [
      "What is the capital of Italy? Answer in one word.",
      "Why is the sky blue? Answer in a few words.",
      "How do I boil an egg? Be very brief.",
      "What is a violin? Reply with one short phrase.",
      "Who wrote Hamlet? Just the name.",
      "How far away is the moon? Only the number.",
      "Is tea good for me? Yes or no.",
      "What do bees eat? One word, please.",
      "What is photosynthesis? Say it in five words.",
      "How do I fix a flat tyre? Keep it very short.",
      "What is the best season? One word.",
      "What is a prime number? Be as short as you can.",
    ],
    away: [
      "What is the capital of Italy? Answer with a long essay.",
      "Why is the sky blue? Explain in great detail.",
      "How do I boil an egg? Describe every step at length.",
      "What is a violin? Reply with several long paragraphs.",
      "Who wrote Hamlet? Tell me the whole story.",
      "How far away is the moon? Explain it thoroughly.",
      "Is tea good for me? Discuss it at length.",
      "What do bees eat? Give a full lecture, please.",
      "What is photosynthesis? Say everything about it.",
      "How do I fix a flat tyre? Give me a detailed guide.",
      "What is the best season? Write a long article.",
      "What is a prime number? Be as thorough as you can.",
    ],
  },
};
