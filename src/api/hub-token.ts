/** An access token of the hub, as loads take it. Apart from what reads models, which the page's first scripts do without. */
export { type HubAccess, readHubToken } from "../session/models.ts";
