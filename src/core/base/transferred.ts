/** What threads hand to each other. TypeScript's `dom` library has names for it, and projects for Node compile without that library. Types only. */

/** A MessagePort. Without `dom` TypeScript knows that name as a value alone. */
export type TransferredPort = InstanceType<typeof MessagePort>;

/** What `postMessage` may transfer here: less than the Transferable of `dom`. */
export type Transferred = ArrayBuffer | TransferredPort;
