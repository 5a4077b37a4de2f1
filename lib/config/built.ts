import type { Config } from "./config.ts";
import { ConfigError } from "./error.ts";
import { readConfigFile } from "./read-file.ts";
import { isObject } from "./shape.ts";

/** The configuration as a function's bundle carries it: as it was written, and parsed when the bundle was made. So the function does without the schema. */
export interface BuiltConfig {
  raw: unknown;
  config: Config;
}

/** @throws ConfigError when the file is none that a bundle carries */
export function readBuiltConfig(file: string): BuiltConfig {
  const built = readConfigFile(file);
  if (isObject(built) && isObject(built.config)) return built as unknown as BuiltConfig;
  throw new ConfigError([{ path: "", message: `the file ${file} is not of this version` }], {
    hint: "Deploy the stack again; on one machine run `npm start` again.",
  });
}
