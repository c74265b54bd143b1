import { mod, requestState } from "midtoken/mod";

const text = requestState(() => "");

// When the story goes outside, ask the client for the weather instead of going on.
export default mod({
  added(event, actions) {
    text.current += event.text;
    const place = /\b(park|beach|garden)\b/.exec(text.current)?.[1];
    if (place) return actions.toolCalls({ name: "get_weather", arguments: { place, unit: "celsius" } });
  },
});
