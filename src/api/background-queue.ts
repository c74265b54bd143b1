/** Requests that give way to others. */
export { type BackgroundQueue, createBackgroundQueue } from "../session/background-queue.ts";
