import type { HandwrittenExample } from "./example.ts";

export const food: HandwrittenExample = {
  name: "food",
  does: "Turns answers towards recipes and restaurants. As a detector: its mean dot product with the hidden states of a text was 355 to 537 for texts about food, and -32 to 169 for other texts.",
  breaks:
    "At strength 2 the model still gives definitions; at strength 4 the model answers “What is a computer?” with basil and olives. Below 0 the model talks about research and machines, the topics of the contrast texts. As a detector, the vector is unreliable at full stops: the dot product is small there, whatever the text is about.",
  texts: {
    tokens: "all",
    as: "text",
    toward: [
      "She stirred the soup and added a little more salt.",
      "Bake the bread in a hot oven until the crust is brown.",
      "We had pasta with tomatoes and basil for dinner.",
      "The restaurant serves fresh fish with lemon and rice.",
      "Chop the onions and fry them slowly in butter.",
      "He ate two slices of chocolate cake and drank some milk.",
      "A ripe mango is sweet, juicy and full of vitamins.",
      "My grandmother's recipe needs eggs, flour and sugar.",
      "The market sells cheese, olives and warm bread.",
      "Breakfast was toast with jam and a cup of coffee.",
      "Roast the chicken with potatoes, garlic and rosemary.",
      "The salad was crisp, with cucumbers and a sharp dressing.",
    ],
    away: [
      "She opened the letter and read it a second time.",
      "Leave the car in the garage until the engine is cold.",
      "We had a meeting with lawyers and bankers on Monday.",
      "The museum shows old paintings with landscapes and ships.",
      "Sand the boards and paint them slowly in white.",
      "He wrote two pages of his novel and closed the book.",
      "A fast computer is quiet, cool and full of memory.",
      "My grandmother's house needs windows, doors and a roof.",
      "The station has platforms, clocks and a waiting room.",
      "The morning was a walk with the dog and a long talk.",
      "Measure the distance with a ruler, a pencil and a map.",
      "The concert was loud, with drums and a bright guitar.",
    ],
  },
};
