import { Token } from "aws-cdk-lib";
import { type ITable, Table } from "aws-cdk-lib/aws-dynamodb";
import { type Config, ConfigError, type ConfigInput, type ConfigProblem, parseConfig } from "../lib/config/index.ts";
import { proxyProblem } from "../lib/config/proxy.ts";
import { DETAIL_TYPE, EVENT_TYPES, type EventType } from "../lib/events/index.ts";
import { isObject } from "../lib/json.ts";
import { type KeySchema, tableDefinition } from "../lib/state/table.ts";
import { DEFAULT_MEMORY } from "./prices.ts";
import { ON_REMOVAL, type OnRemoval, type SurveyPollerProps, type SurveyPollerResources } from "./props.ts";
import { checkWhere } from "./subscriptions/check-where.ts";

/**
 * Parts the configuration from what is there already, and checks both.
 *
 * @returns `input`, the configuration as it was written, beside `config`: it travels in the bundle
 * @throws ConfigError that names every bad field of either
 */
export function readProps(props: SurveyPollerProps) {
  const { memory = DEFAULT_MEMORY, tracing = false, onRemoval = "keep", outputPrefix, ...given } = props;
  const { eventBus, stateTable, alarmTopic, encryptionKey, vpc, vpcSubnets, securityGroups, proxy, secrets, ...input } =
    given;
  const resources = {
    eventBus,
    stateTable,
    alarmTopic,
    encryptionKey,
    vpc,
    vpcSubnets,
    securityGroups,
    proxy,
    secrets,
  };
  const parsed = tryParse(input);
  const problems = [
    ...(parsed instanceof ConfigError ? parsed.problems : []),
    ...problemsOf({ memory, onRemoval, ...resources }, input),
  ];
  if (parsed instanceof ConfigError || problems.length > 0) throw new ConfigError(problems);
  return { config: parsed, input, resources, settings: { memory, tracing, onRemoval }, outputPrefix };
}

function tryParse(input: unknown): Config | ConfigError {
  try {
    return parseConfig(input, { deployed: true, checkPattern: (where, types) => checkWhere(where, knownTypes(types)) });
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function problemsOf(
  { memory, onRemoval, ...resources }: SurveyPollerResources & { memory: number; onRemoval: OnRemoval },
  input: ConfigInput,
): ConfigProblem[] {
  const { eventBus, stateTable, vpc, vpcSubnets, securityGroups, proxy, secrets } = resources;
  const problems: ConfigProblem[] = [];
  const found = (path: string, message: string | undefined): void => {
    if (message !== undefined) problems.push({ path, message });
  };
  if (!Token.isUnresolved(memory) && !(Number.isInteger(memory) && memory >= 128 && memory <= 10_240))
    found("memory", "must be a whole number of MB, 128 to 10240");
  if (!ON_REMOVAL.includes(onRemoval)) found("onRemoval", `must be ${ON_REMOVAL.join(" or ")}`);
  // The configuration may be of any shape here: what is wrong with it is found elsewhere.
  const bus: unknown = (input as { bus?: unknown }).bus;
  if (eventBus !== undefined && isObject(bus) && bus.name !== undefined)
    found("bus.name", "must not be stated beside eventBus, which has a name already");
  if (stateTable !== undefined) found("stateTable", tableProblem(stateTable));
  if (vpc === undefined && vpcSubnets !== undefined) found("vpcSubnets", "needs a vpc");
  if (vpc === undefined && securityGroups !== undefined) found("securityGroups", "needs a vpc");
  if (securityGroups?.length === 0) found("securityGroups", "must name at least one, or be left out");
  if (!Token.isUnresolved(proxy)) found("proxy", proxy === undefined ? undefined : proxyProblem(proxy));
  else if (vpc !== undefined && securityGroups === undefined)
    found("proxy", "is known at deployment only, so its port cannot be let out: give securityGroups that do");
  const config: unknown = input;
  const written = isObject(config) && Array.isArray(config.sources) ? config.sources : [config];
  const sources = written.filter(isObject).map(({ name = "main", credentialsSecret }) => ({ name, credentialsSecret }));
  for (const name of Object.keys(secrets ?? {})) {
    const source = sources.find((one) => one.name === name);
    if (source === undefined) found(`secrets.${name}`, `there is no source "${name}"`);
    else if (source.credentialsSecret !== undefined)
      found(`secrets.${name}`, "must not be given beside the source's credentialsSecret");
  }
  return problems;
}

/** Of a table that is made in the same app its keys are known; of an imported one the first read tells. */
function tableProblem(table: ITable): string | undefined {
  if (!(table instanceof Table)) return undefined;
  const isSame = ({ partitionKey, sortKey }: KeySchema, indexName?: string): boolean => {
    try {
      const { partitionKeys, sortKeys } = table.schemaV2(indexName);
      const given = [...partitionKeys, ...sortKeys].map(({ name, type }) => `${name} ${type}`);
      return String(given) === String([partitionKey, sortKey].map(({ name, type }) => `${name} ${type}`));
    } catch {
      return false;
    }
  };
  if (isSame(tableDefinition) && tableDefinition.indexes.every((index) => isSame(index, index.name))) return undefined;
  return "must have the keys and the index of the poller's table: make it with createStateTable";
}

/** The types of a webhook that exist; any other value is told as a problem of its own. */
function knownTypes(types: unknown): readonly EventType[] {
  const known = Array.isArray(types) ? EVENT_TYPES.filter((type) => types.includes(type)) : [];
  return known.length === 0 ? [DETAIL_TYPE] : known;
}
