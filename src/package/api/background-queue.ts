/** Requests that give way to others. */
export {
  type BackgroundQueue,
  createBackgroundQueue,
} from "../../runtime/session/page-side/background-queue.ts";
