import { mod } from "midtoken/mod";

// As soon as the text contains the name, the name becomes the whole output, and the request ends.
export default mod({
  added(event, actions) {
    const name = /named (\w+)[.,]/.exec(event.output.text)?.[1];
    if (name) return actions.forceOutput(name);
  },
});
