import type { HandwrittenExample } from "./example.ts";

export const formal: HandwrittenExample = {
  name: "formal",
  does: "Removes contractions and exclamation marks, and adds words such as “testament” and “authority”; below 0, answers sound as if a friend wrote them.",
  breaks:
    "At 4 the model writes to the Minister, whatever the question was, and repeats whole clauses; at -2 and below the model may repeat “I’m sorry for you”.",
  texts: {
    tokens: "all",
    as: "text",
    toward: [
      "We would be most grateful if you could reply at your earliest convenience.",
      "It is my sincere pleasure to inform you that your application has been approved.",
      "The committee hereby requests that all members submit their reports in due course.",
      "I regret to advise you that the appointment must be postponed.",
      "Please be advised that the premises will be closed for the duration of the works.",
      "The undersigned respectfully declines the invitation owing to prior obligations.",
      "It is recommended that the aforementioned matter be examined with due care.",
      "Kindly accept our apologies for any inconvenience this may have occasioned.",
      "The results demonstrate a considerable improvement with respect to the previous period.",
      "Should you require further assistance, please do not hesitate to contact this office.",
      "I wish to express my gratitude for the courtesy that was extended to me.",
      "The evidence presented does not, in our opinion, substantiate the claim.",
    ],
    away: [
      "Hey, just get back to me whenever, ok?",
      "Guess what, you're in! They said yes, yay!",
      "Guys, send me your stuff when you're done, alright?",
      "Sorry, gotta move our thing, can't make it.",
      "Heads up, we're shut while the guys fix the place up.",
      "Nah, can't come, got other stuff going on, sorry!",
      "Yeah, you should totally have a look at that thing.",
      "Oops, sorry about the mess, our bad!",
      "Wow, we did way better than last time, so cool!",
      "If you're stuck just give me a shout, no worries.",
      "Thanks a bunch for being so nice to me, you rock!",
      "Come on, that's just not true, no way.",
    ],
  },
};
