/** How models are named, for those above the session. */

export { dtypeNames, isDtype } from "../engine/dtype.ts";
export type { LoadProgress, ModelReference } from "../engine/model-reference.ts";
export { hubFolder } from "../engine/hub-folder.ts";
