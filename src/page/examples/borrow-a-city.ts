import { mod, requestState } from "midtoken/mod";

const layer = 25;
const other = "The Colosseum is in the city of";
const here = "The Eiffel Tower is in the city of";
const state = requestState<Float32Array | null>(() => null);

// The model first reads the text about the Colosseum, hidden. At its last token, "of", the hidden state after layer 25 contains the
// city: Rome. The patch puts this state in the place of the state at the "of" of the visible text, which contains Paris. A patch
// below about layer 24 changes nothing, because the city reaches this token only there.
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
    // The patch applies to the next pass, which reads the tokens that were added just now.
    return actions.patch({ layer, vector });
  },
});
