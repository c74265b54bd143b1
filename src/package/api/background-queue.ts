/** Requests that give way to others. */
export { type BackgroundQueue, createBackgroundQueue } from "../../runtime/session/background-queue.ts";
