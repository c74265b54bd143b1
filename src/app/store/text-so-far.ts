/** The mod that puts what stood there already before a run that goes on from the middle of another one, with other mods. */

const mark = "// What was written before this run went on with other mods.";

export const textSoFarName = "text so far";

/** `tokens`: their ids; not empty. */
export function textSoFar(tokens: readonly number[]): { readonly name: string; readonly source: string } {
  const source = `${mark}
import { mod } from "midtoken/mod";

const written = [${tokens.join(", ")}];
let isWritten = false;

export default mod({
  forwardPass(event, actions) {
    if (isWritten) return;
    isWritten = true;
    return actions.forceTokens(written);
  },
});
`;
  return { name: textSoFarName, source };
}

export function isTextSoFar({ source }: { readonly source: string }): boolean {
  return source.startsWith(mark);
}
