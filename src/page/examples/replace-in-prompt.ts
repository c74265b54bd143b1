import { mod } from "midtoken/mod";

export default mod({
  prefilled(_event, actions) {
    return actions.adjustPrefill({ replace: ["a little girl", "a brave dog"] });
  },
});
