import { mod } from "midtoken/mod";

// As soon as the name is there, the output becomes just the name, and the request ends.
export default mod({
  added(event, actions) {
    const name = /named (\w+)[.,]/.exec(event.output.text)?.[1];
    if (name) return actions.forceOutput(name);
  },
});
