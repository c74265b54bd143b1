/** Of the SDK: the package's own. */
export const sdkVersion = "0.1.0";
