/** How models are named, for those above the session. */

export { dtypeNames, isDtype } from "../../engine/base/dtype.ts";
export { hubFolder } from "../../engine/base/hub-folder.ts";
export type { LoadProgress, ModelReference } from "../../engine/base/model-reference.ts";
