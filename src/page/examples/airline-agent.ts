import { end, flow, message, question, tool } from "midtoken/flow";
import { toolCallPairs } from "midtoken/mod";
import { regex } from "midtoken/strategies";

const wish = question({
  name: "wish",
  prompt: "The customer wants to ",
  responses: ["cancel a booking", "change a booking", "ask a question"],
  erase: "all",
  temperature: 0,
});
const booking = question({
  name: "booking",
  prompt: "The booking number of the customer is ",
  strategy: regex(/[A-Z]{3}[0-9]{3}/),
  erase: "all",
  temperature: 0,
});
// If a tool has given the booking number, the mod does not ask the model again.
booking.autoAnswer(() => {
  const found = toolCallPairs().find(({ call, answer }) => call.function.name === "get_booking" && answer);
  return found ? JSON.parse(found.call.function.arguments).booking : undefined;
});

wish.on("ask a question", end());
wish.then(booking);
booking.branch(({ answers }) => {
  const details = toolCallPairs().find(({ call }) => call.function.name === "get_booking")?.answer;
  if (!details) return tool({ name: "get_booking", arguments: { booking: answers.booking } });
  const { insured } = JSON.parse(details);
  if (answers.wish === "cancel a booking" && insured) {
    return tool({ name: "cancel_booking", arguments: { booking: answers.booking } });
  }
  return message("I will hand you over to a colleague: this needs a human.", { end: true });
});

export default flow({ entry: wish }).asMod();
