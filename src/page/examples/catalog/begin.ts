/** Gallery: start here. */
import skeleton from "../skeleton.ts?raw";
import skeletonFunction from "../skeleton-function.ts?raw";
import { type Example, example } from "./example.ts";

export const templateExamples: readonly Example[] = [
  example({
    name: "skeleton",
    title: "Skeleton",
    description: "Looks at each event and changes nothing: a place to start.",
    source: skeleton,
    maxTokens: 24,
  }),
  example({
    name: "skeleton-function",
    title: "Skeleton, one function",
    description: "The same mod as one function for all events, which are narrowed by their type.",
    source: skeletonFunction,
    maxTokens: 24,
  }),
];
