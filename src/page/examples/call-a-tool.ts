import { mod } from "midtoken/mod";

// When the story goes outside, the output ends with a tool call that asks the client for the weather.
export default mod({
  added(event, actions) {
    const place = /\b(park|beach|garden)\b/.exec(event.output.text)?.[1];
    if (place) return actions.toolCalls({ name: "get_weather", arguments: { place, unit: "celsius" } });
  },
});
