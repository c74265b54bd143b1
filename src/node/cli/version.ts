import { sdkVersion } from "../../sdk/version.ts";

/** Of the package. */
export const version: string = sdkVersion;
