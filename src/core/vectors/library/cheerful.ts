import type { HandwrittenExample } from "./example.ts";

export const cheerful: HandwrittenExample = {
  name: "cheerful",
  does: "Makes answers glad, thrilled and full of exclamation marks; at a scale below 0, answers turn to devils, darkness and the law.",
  breaks:
    "At 4 every answer begins with “I’m absolutely loving” and ignores the question; at -4 the model repeats “the law of the law”. Up to 2, factual definitions keep their neutral tone.",
  texts: {
    tokens: "last",
    as: "text",
    toward: [
      "I am so happy today, everything is wonderful.",
      "What a lovely morning, I feel great and full of joy.",
      "This is amazing news, I am delighted and excited.",
      "The party was fantastic and everyone laughed with delight.",
      "My garden is blooming beautifully and it makes me smile.",
      "We won the game and we are thrilled and proud.",
      "Our holiday by the sea was the most joyful week of the year.",
      "She sings cheerfully on her way to work, full of hope.",
      "The children are playing merrily in the warm sunshine.",
      "I love my new job, my colleagues are kind and fun.",
      "Dinner was delicious and the evening was perfect.",
      "The future looks bright and I can hardly wait for it.",
    ],
    away: [
      "I am so sad today, everything is terrible.",
      "What a dreadful morning, I feel awful and full of sorrow.",
      "This is horrible news, I am miserable and hopeless.",
      "The funeral was bleak and everyone wept with grief.",
      "My garden is dying slowly and it makes me cry.",
      "We lost the game and we are ashamed and bitter.",
      "Our holiday by the sea was the most painful week of the year.",
      "She sighs wearily on her way to work, full of despair.",
      "The children are sitting lonely in the cold rain.",
      "I hate my new job, my colleagues are cruel and dull.",
      "Dinner was disgusting and the evening was a disaster.",
      "The future looks dark and I am afraid of it.",
    ],
  },
};
