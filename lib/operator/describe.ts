import { section } from "../config/fields.ts";
import type { Operation } from "./operation.ts";

/** The configuration with which the function was deployed; it holds no secret. */
export const describe: Operation<object, { config: unknown }> = {
  input: section({}),
  run: async ({ rawConfig }) => ({ config: rawConfig }),
};
