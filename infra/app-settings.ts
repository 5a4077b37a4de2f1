import type { Node } from "constructs";
import { ConfigError, type ConfigInput, type ConfigProblem, readConfigFile } from "../lib/config/index.ts";
import { isObject } from "../lib/json.ts";
import { ON_REMOVAL } from "./props.ts";

const NAME = 'must be 1 to 128 letters, digits or "-", beginning with a letter';
const TAGS =
  'must be such as team=research,cost-center=42, or in cdk.json { "team": "research" }: letters, digits, spaces and + - = . _ : / @, and no key that begins with "aws:"';
/** The characters, and how many of them, that every service takes: some take more, and IAM would refuse these only as the stack is made. */
const TAG_KEY = /^(?!aws:)[\p{L}\p{N}\p{Z}+=._:/@-]{1,128}$/iu;
const TAG_VALUE = /^[\p{L}\p{N}\p{Z}+=._:/@-]{1,256}$/u;

/**
 * How the app deploys the stack, beside what the configuration says of the poller: from context keys, by `-c key=value` or cdk.json.
 * Account and region are by default those of the command line, which tells them to the app. A stack that knows them can be compared
 * with its region.
 *
 * @throws ConfigError that names every key that cannot be used
 */
export function appSettings(node: Node, environment: NodeJS.ProcessEnv = process.env) {
  const problems: ConfigProblem[] = [];
  /** The value that `read` makes of a key; undefined where it is not stated, or wrong. */
  const stated = <T>(key: string, message: string, read: (value: unknown) => T | undefined): T | undefined => {
    const value: unknown = node.tryGetContext(key);
    if (value === undefined || value === "") return undefined;
    const found = read(value);
    if (found === undefined) problems.push({ path: key, message });
    return found;
  };
  const settings = {
    stackName: stated("stackName", NAME, matching(/^[A-Za-z][A-Za-z0-9-]{0,127}$/)) ?? "SurveyPoller",
    env: {
      account: stated("account", "must be 12 digits", matching(/^\d{12}$/)) ?? environment.CDK_DEFAULT_ACCOUNT,
      region:
        stated("region", "must be such as eu-west-1", matching(/^[a-z]+(-[a-z]+)+-\d+$/)) ??
        environment.CDK_DEFAULT_REGION,
    },
    tags: stated("tags", TAGS, readTags) ?? {},
    memory: stated("memory", "must be a whole number of MB, 128 to 10240", readMemory),
    tracing: stated("tracing", "must be true or false", readFlag),
    onRemoval: stated("onRemoval", `must be ${ON_REMOVAL.join(" or ")}`, (value) =>
      ON_REMOVAL.find((one) => one === value),
    ),
    // Undefined where nobody has said: then it is off, and the app says how to switch it on.
    terminationProtection: stated("terminationProtection", "must be true or false", readFlag),
  };
  const hint = "Correct these keys, after -c or in the context of cdk.json.";
  if (problems.length > 0) throw new ConfigError(problems, { hint });
  return settings;
}

/** From the command line numbers and flags come as text. */
function readFlag(value: unknown): boolean | undefined {
  if (value === true || value === "true") return true;
  return value === false || value === "false" ? false : undefined;
}

function readMemory(value: unknown): number | undefined {
  const memory = Number(value);
  return Number.isInteger(memory) && memory >= 128 && memory <= 10_240 ? memory : undefined;
}

function matching(pattern: RegExp): (value: unknown) => string | undefined {
  return (value) => (pattern.test(String(value)) ? String(value) : undefined);
}

function readTags(value: unknown): Record<string, string> | undefined {
  const pairs = String(value).split(",");
  const entries = isObject(value) ? Object.entries(value) : pairs.map((pair) => pair.split("="));
  const isTag = (entry: unknown[]): entry is [string, string] =>
    entry.length === 2 && [TAG_KEY, TAG_VALUE].every((form, i) => typeof entry[i] === "string" && form.test(entry[i]));
  return entries.every(isTag) ? Object.fromEntries(entries) : undefined;
}

/**
 * The raw configuration of a synthesis: the file that `-c config=FILE` names, else the context key `survey-poller`. It is
 * checked by the construct that takes it.
 *
 * @throws ConfigError when there is neither, or the file cannot be read
 */
export function configFromContext(node: Node): ConfigInput {
  const file: unknown = node.tryGetContext("config");
  if (typeof file === "string" && file !== "") return readConfigFile(file) as ConfigInput;
  const context: unknown = node.tryGetContext("survey-poller");
  if (context !== undefined) return context as ConfigInput;
  const message = 'there is none: put { "baseUrl": "https://…" } under "survey-poller" in the context of cdk.json';
  const hint = "For a first look: npx cdk synth -c config=examples/survey-poller.json";
  throw new ConfigError([{ path: "", message }], { hint });
}
