import { mod } from "midtoken/mod";

export default mod({
  added(event, actions) {
    const last = event.forced ? null : event.output.lastTokensWith("little girl");
    if (last) return actions.backtrack(last.count, last.text.replace("little girl", "tall queen"));
  },
});
