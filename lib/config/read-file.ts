import { readFileSync } from "node:fs";
import { errorCode } from "../errors.ts";
import { ConfigError } from "./error.ts";

/**
 * The raw configuration in a JSON file, for `parseConfig`.
 *
 * @throws ConfigError when the file cannot be read or is not JSON. Its content is never repeated, as JSON.parse would.
 */
export function readConfigFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const why = errorCode(error) === "ENOENT" ? "does not exist" : `cannot be read (${errorCode(error)})`;
    throw new ConfigError([{ path: "", message: `the file ${file} ${why}` }], {
      hint: "Give the path of a JSON file.",
    });
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    const message = `the file ${file} is not valid JSON`;
    throw new ConfigError([{ path: "", message }], { hint: "JSON takes no comments and no trailing commas." });
  }
}
