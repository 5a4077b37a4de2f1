import { join } from "node:path";
import type { Config } from "./config.ts";
import { ConfigError } from "./error.ts";
import { readConfigFile } from "./read-file.ts";
import { isObject } from "./shape.ts";

/** The sources of a deployed function and all that stands beside them: as they were written, and checked. */
export interface DeployedConfig {
  raw: unknown;
  config: Config;
}

/** The file in a function's bundle. One deployment brings code and configuration, so that each version reads its own. */
export const CONFIG_FILE = "config.json";

/**
 * Reads the configuration of a deployed function. A synthesis puts it into the bundle, already checked: a start loads no schema. A template
 * whose bundle is the same for everybody says it in the variable `CONFIG` instead, as JSON in the form of docs/configuration.md: then it
 * holds, and is checked here. Lambda has 4 KB for all variables together.
 *
 * @param variables the environment of the function
 * @throws ConfigError when there is none, or one that cannot be used
 */
export async function readDeployedConfig(
  { CONFIG }: Record<string, string | undefined>,
  bundleFolder: string,
): Promise<DeployedConfig> {
  if (CONFIG === undefined) return readBuilt(join(bundleFolder, CONFIG_FILE));
  const raw = parseText(CONFIG);
  // Only here, and a part of the bundle for itself: the schema takes longer to load than all clients.
  const { parseConfig } = await import("./parse.ts");
  return { raw, config: parseConfig(raw, { deployed: true }) };
}

function readBuilt(file: string): DeployedConfig {
  const built = readConfigFile(file);
  if (isObject(built) && isObject(built.config)) return built as unknown as DeployedConfig;
  throw new ConfigError([{ path: "", message: `the file ${file} is not of this version` }], {
    hint: "Deploy the stack again; on one machine run `npm start` again.",
  });
}

/** The error of JSON.parse would repeat the text. */
function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError([{ path: "", message: "the variable CONFIG is not valid JSON" }], {
      hint: "Correct the parameters of the stack, and deploy it again.",
    });
  }
}
