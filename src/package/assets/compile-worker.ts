/** The compiler's worker in the npm package. */
import "../../runtime/sandbox/compile-worker.ts";

// The worker has already said that it is ready, which told the page that its file could be loaded. It says so again
// for the compiler that waits for it.
postMessage({ type: "ready" });
