import { mod, requestState } from "midtoken/mod";

const layer = 25;
const other = "The Colosseum is in the city of";
const here = "The Eiffel Tower is in the city of";
const state = requestState<Float32Array | null>(() => null);

// The model reads the other text first, hidden. Its hidden state behind layer 25 at "of" contains the city, Rome. The patch puts this
// state in the place of the one in this text, which contains Paris. Before about layer 24 a patch changes nothing, since the city
// reaches this token only there.
export default mod({
  maxBacktrack: 0,
  layers: [layer],
  forwardPass(event, actions) {
    if (event.step === 0) return actions.forceTokens(other, { hidden: true });
    if (!event.hidden) return;
    state.current = event.hiddenState(layer);
    return actions.backtrack(event.output.hiddenTokens.length, here);
  },
  added(event, actions) {
    const vector = state.current;
    if (event.hidden || vector === null) return;
    state.current = null;
    // The next pass reads what was added just now.
    return actions.patch({ layer, vector });
  },
});
