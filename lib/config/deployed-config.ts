import { join } from "node:path";
import { isObject } from "../json.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./error.ts";
import { readConfigFile } from "./read-file.ts";

/** The configuration of a deployed function, as it was written, and checked. */
export interface DeployedConfig {
  raw: unknown;
  config: Config;
}

/** The file in a function's bundle. One deployment brings code and configuration, so that each version reads its own. */
export const CONFIG_FILE = "config.json";

/**
 * Reads the configuration of a deployed function. A synthesis puts it into the bundle, already checked: a start loads no schema. A template
 * whose bundle is the same for everybody says it in the variables `CONFIG` and `MORE_CONFIG` instead, as JSON: then they hold, and are
 * checked here. Lambda has 4 KB for all variables together.
 *
 * @throws ConfigError when there is none, or one that cannot be used
 */
export async function readDeployedConfig(
  { CONFIG, MORE_CONFIG = "{}" }: Record<string, string | undefined>,
  bundleFolder: string,
): Promise<DeployedConfig> {
  if (CONFIG !== undefined) {
    // Only here, and a part of the bundle for itself: the schema takes longer to load than all clients.
    const { configFromParameters } = await import("./from-parameters.ts");
    return configFromParameters(CONFIG, MORE_CONFIG);
  }
  const file = join(bundleFolder, CONFIG_FILE);
  const built = readConfigFile(file);
  if (isObject(built) && isObject(built.config)) return built as unknown as DeployedConfig;
  throw new ConfigError([{ path: "", message: `the file ${file} is not of this version` }], {
    hint: "Deploy the stack again; on one machine run `npm start` again.",
  });
}
