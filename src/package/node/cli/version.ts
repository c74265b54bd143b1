import { sdkVersion } from "../../../core/sdk/version.ts";

/** The version of the package. */
export const version: string = sdkVersion;
