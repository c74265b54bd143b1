import { mod } from "midtoken/mod";

export default mod({
  prefilled(event, actions) {
    return actions.adjustPrefill(event.text.replace("Once upon a time", "One day, a dragon"));
  },
});
