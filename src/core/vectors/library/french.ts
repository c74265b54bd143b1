import type { HandwrittenExample } from "./example.ts";

export const french: HandwrittenExample = {
  name: "French",
  does: "Answers come in French, or in what this small model takes for French.",
  breaks:
    "At 2 the French is already broken and may be rude; at 4 the model stutters: “la la la”. Below 0 the vector has no useful effect, because the answers were in English anyway.",
  texts: {
    tokens: "all",
    as: "text",
    toward: [
      "Bonjour, je suis très heureux de vous rencontrer.",
      "Le petit chat dort sur la chaise de la cuisine.",
      "Nous allons au marché pour acheter du pain et du fromage.",
      "Il fait beau aujourd'hui et les enfants jouent dans le jardin.",
      "Ma sœur habite à Paris avec son mari et ses deux filles.",
      "Je ne sais pas où se trouve la gare, pouvez-vous m'aider ?",
      "Les livres de cette bibliothèque sont vieux mais intéressants.",
      "Elle a travaillé toute la nuit pour finir son projet.",
      "Le train de Lyon arrive à huit heures du soir.",
      "Qu'est-ce que vous voulez manger ce soir ?",
      "Mon père m'a appris à faire du vélo quand j'étais petit.",
      "La mer est calme et le ciel est bleu ce matin.",
    ],
    away: [
      "Hello, I am very happy to meet you.",
      "The little cat is sleeping on the chair in the kitchen.",
      "We are going to the market to buy bread and cheese.",
      "The weather is nice today and the children are playing in the garden.",
      "My sister lives in London with her husband and her two daughters.",
      "I do not know where the station is, can you help me?",
      "The books of this library are old but interesting.",
      "She worked all night to finish her project.",
      "The train from Leeds arrives at eight in the evening.",
      "What do you want to eat this evening?",
      "My father taught me to ride a bicycle when I was little.",
      "The sea is calm and the sky is blue this morning.",
    ],
  },
};
