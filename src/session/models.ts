/** How models are named, for those above the session. */
export type { ModelReference } from "../engine/model-reference.ts";
export { hubFolder } from "../engine/model-source.ts";
