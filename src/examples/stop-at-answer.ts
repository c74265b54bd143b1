import { mod, requestState } from "midtoken/mod";

const text = requestState(() => "");

// As soon as the name is there, the output becomes just the name, and the request ends.
export default mod({
  added(event, actions) {
    text.current += event.text;
    const name = /named (\w+)[.,]/.exec(text.current)?.[1];
    if (name) return actions.forceOutput(name);
  },
});
