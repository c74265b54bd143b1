/** Models that the browser keeps. */
export { type KeptModel, keepModel, keptModels, removeKeptModel } from "../session/kept-models.ts";
