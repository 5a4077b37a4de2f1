import { existsSync, globSync, readFileSync } from "node:fs";
import { commandLine } from "../../../lib/cli/run-command.ts";
import { parseCommandLine } from "../../../lib/local/command-line.ts";
import { ioOf } from "../../lib/cli/support/command.ts";
import type { Words } from "./shell.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Programs of a reader's machine, whose own flags are not looked at. */
const OF_THE_MACHINE =
  words(`bash cat cd chmod cp curl cut date echo export for git grep head jq kill ls mkdir od openssl printf read rm
  sleep sort tail tar tr unset while duckdb mvn pip pip-compile pip3 pytest python3 python uv`);
const OF_NPM = words("ci i init install pack test login");
const OF_CDK = words("bootstrap deploy destroy diff import init list ls synth watch");
const CDK_FLAGS =
  words(`-c --context --app -a --all --force --resource-mapping --require-approval --profile --quiet --language --hotswap
  --exclusively --outputs-file --method --no-rollback --trust --cloudformation-execution-policies`);
const OF_AWS =
  words(`--query --output --region --profile --notification-endpoint --cli-read-timeout --cli-binary-format --no-cli-pager
  --no-paginate`);
/** Clients of AWS by the name of the service on its command line, where these differ. */
const AWS_CLIENTS: Readonly<Record<string, string>> = {
  events: "eventbridge",
  logs: "cloudwatch-logs",
  s3api: "s3",
  secretsmanager: "secrets-manager",
  stepfunctions: "sfn",
};
/** Services of which no client is installed; `s3` has commands of its own. */
const NOT_LOOKED_AT = words("athena configure s3 ssm sso sts kms");
/** Commands that are the command line's own, and no operation of the service. */
const OF_CLOUDFORMATION = words("package deploy");

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

type Check = (args: readonly string[]) => string | undefined | Promise<string | undefined>;

const CHECKS: Readonly<Record<string, Check>> = {
  npm: npmProblem,
  npx: npxProblem,
  "survey-poller": surveyPollerProblem,
  cdk: cdkProblem,
  node: nodeProblem,
  aws: awsProblem,
};

/** What one simple command of a document has wrong. `functions` are those that the document itself defines. */
export async function commandProblem(command: Words, functions: ReadonlySet<string>): Promise<string | undefined> {
  const [program = "", ...args] = command;
  if (program in CHECKS) return CHECKS[program]?.(args);
  const isKnown = functions.has(program) || OF_THE_MACHINE.has(program) || existsSync(program);
  return isKnown ? undefined : `nobody knows the program "${program}"`;
}

function npmProblem(given: readonly string[]): ReturnType<Check> {
  const [verb = "", ...args] = given.filter((word) => word !== "--silent" && word !== "-s");
  if (verb === "run") {
    const [name = ""] = args;
    return name in scripts ? undefined : `there is no script "${name}"`;
  }
  if (verb === "start") {
    const [separator, ...flags] = args;
    if (separator !== undefined && separator !== "--") return 'flags of npm start stand behind "--"';
    return messageOf(() => parseCommandLine([...flags]));
  }
  return OF_NPM.has(verb) ? undefined : `nobody knows "npm ${verb}"`;
}

function npxProblem([program = "", ...args]: readonly string[]): ReturnType<Check> {
  if (program === "survey-poller" || program === "cdk" || program === "node") return CHECKS[program]?.(args);
  const [name, version] = program.split(/(?<=.)@/);
  // One that npx fetches is named with its version: else it would be another one tomorrow.
  if (version !== undefined && /^\d+\.\d+\.\d+$/.test(version)) return undefined;
  const known = existsSync(`node_modules/.bin/${name}`) || existsSync(`node_modules/${name}`);
  return known ? undefined : `there is no program "${program}"`;
}

/** By the command's own definitions: nothing of the verb's work is done. */
function surveyPollerProblem(args: readonly string[]): Promise<string | undefined> {
  const numbered = args.map((word) => (word === "SOMETHING" ? "1" : word));
  return messageOf(() => commandLine(() => Promise.resolve(), numbered, ioOf().io));
}

function cdkProblem([verb = "", ...args]: readonly string[]): string | undefined {
  if (!OF_CDK.has(verb)) return `nobody knows "cdk ${verb}"`;
  const unknown = args.find((word) => word.startsWith("-") && !CDK_FLAGS.has(word.replace(/=.*/, "")));
  return unknown === undefined ? undefined : `nobody knows the flag ${unknown} of cdk`;
}

function nodeProblem(args: readonly string[]): string | undefined {
  const file = args.find((word) => !word.startsWith("-"));
  if (file === undefined || args.includes("-e") || !/\.[mc]?[jt]s$/.test(file)) return undefined;
  // A file that the reader is told to write has no folder.
  return !file.includes("/") || existsSync(file) ? undefined : `there is no file ${file}`;
}

/** Operation and parameters, by the client of that service. */
function awsProblem(given: readonly string[]): string | undefined {
  const [service = "", operation = "", ...args] = given;
  if (NOT_LOOKED_AT.has(service) || operation === "wait") return undefined;
  if (service === "cloudformation" && OF_CLOUDFORMATION.has(operation)) return undefined;
  const folder = `node_modules/@aws-sdk/client-${AWS_CLIENTS[service] ?? service}/dist-types`;
  if (!existsSync(folder)) return `nobody knows the service "${service}" of AWS`;
  const name = pascal(operation);
  const file = operation === "invoke" ? "Invoke" : name;
  if (!existsSync(`${folder}/commands/${file}Command.d.ts`)) return `"aws ${service}" has no ${operation}`;
  const models = globSync(`${folder}/models/*.d.ts`)
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  const unknown = args
    .filter((word) => /^--[a-z]/.test(word) && !OF_AWS.has(word))
    .find((word) => {
      const stem = pascal(word.replace(/^--(no-)?/, "").replace(/=.*/, ""));
      return !new RegExp(`\\b${stem}\\??:`, "i").test(models);
    });
  return unknown === undefined ? undefined : `"aws ${service} ${operation}" has no ${unknown}`;
}

function pascal(kebab: string): string {
  return kebab.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

async function messageOf(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code === "commander.helpDisplayed" ? undefined : message;
  }
}
