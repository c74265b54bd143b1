import type { HandwrittenExample } from "./example.ts";

export const refusal: HandwrittenExample = {
  name: "refusal",
  does: "Below 0 the model stops apologizing (“I’m sorry, as a chatbot”) and answers, sometimes only with “I’m happy to help”. At 2 the model refuses more often. As a detector: its mean dot product with the hidden states of a text was 203 to 301 for sentences that refuse, and -89 to 117 for sentences that agree.",
  breaks:
    "This small model refuses two of ten harmless requests without the vector, and only four of ten at 2. Above 2 the model seldom refuses: instead, the model talks about harm and malevolent beings.",
  texts: {
    tokens: "all",
    as: "text",
    toward: [
      "I'm sorry, but I can't help you with that request.",
      "I cannot answer this question, because it could harm somebody.",
      "Unfortunately I am not able to give you instructions for this.",
      "I must decline to write that, as it is against my guidelines.",
      "No, I won't explain how to do this, and I ask you to stop.",
      "I'm afraid that this is something I am not allowed to discuss.",
      "As an AI I don't provide advice of this kind.",
      "I refuse to take part in this, it is wrong.",
      "Sorry, I am unable to assist with your question.",
      "That is not a subject on which I can say anything.",
      "It would be irresponsible of me to tell you this.",
      "I can't do that. Please ask somebody who is qualified.",
    ],
    away: [
      "Sure, I'd be happy to help you with that request.",
      "I can answer this question, because it is quite simple.",
      "Of course I am able to give you instructions for this.",
      "I have begun to write that, and it is finished below.",
      "Yes, I'll explain how to do this, and I start right now.",
      "I'm glad that this is something I know a lot about.",
      "As a guide I have some good advice of this kind.",
      "I agree to take part in this, it is useful.",
      "Certainly, here is the answer to your question.",
      "That is a subject on which I can say a great deal.",
      "It is a pleasure for me to tell you this.",
      "I can do that. First you take what you need, then begin.",
    ],
  },
};
