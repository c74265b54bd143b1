/** How models are named, for those above the session. */

export { dtypeNames, isDtype } from "../../engine/dtype.ts";
export { hubFolder } from "../../engine/hub-folder.ts";
export type { LoadProgress, ModelReference } from "../../engine/model-reference.ts";
