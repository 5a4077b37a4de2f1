import type { BuildOptions } from "esbuild";

/** Settings of every bundle of the package. Names and lines stay readable: people read them in stack traces. */
export const SHARED = {
  bundle: true,
  platform: "node",
  mainFields: ["module", "main"],
  external: ["aws-cdk-lib", "constructs", "zod", "esbuild"],
  // packaging/licenses.ts writes all of them.
  legalComments: "none",
  logLevel: "warning",
} as const satisfies BuildOptions;
