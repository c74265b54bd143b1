import { mod, requestState } from "midtoken/mod";

const isDone = requestState(() => false);

// The answer begins with a thought that the model has to finish.
export default mod({
  forwardPass(_event, actions) {
    if (isDone.current) return;
    isDone.current = true;
    return actions.forceTokens("Let me solve this step by step.\n\n1.");
  },
});
