import { sdkVersion } from "../../../core/sdk/version.ts";

/** Of the package. */
export const version: string = sdkVersion;
