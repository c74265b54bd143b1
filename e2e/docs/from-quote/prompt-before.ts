import { mod } from "midtoken/mod";

export default mod({
  prefilled(event, actions) {
    return actions.adjustPrefill(`Lily was sad. ${event.text}`);
  },
});
