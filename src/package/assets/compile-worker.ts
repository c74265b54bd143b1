/** The compiler's worker in the npm package. */
import "../../runtime/sandbox/compile-worker.ts";

// The worker has already sent "ready" when its file was loaded. It sends it again for the compiler, which waits for this
// message.
postMessage({ type: "ready" });
