import { mod } from "midtoken/mod";

export default mod({
  prefilled(_event, actions) {
    return actions.adjustPrefill({ replace: ["Once upon a time", "One day, a dragon"] });
  },
});
