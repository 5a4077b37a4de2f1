import { dirname, join } from "node:path/posix";

/** What files under `from` may import besides their own folder. Paths are from the root; a folder ends in a slash. */
interface Rule {
  from: string;
  mayImport: readonly string[];
  /** Packages that would bring in what this part must know nothing of. */
  noPackages: RegExp;
}

const noPackage = /^$/;
const aws = /^@aws|^aws-|^@smithy/;
const awsOrHttp = /^@aws|^aws-|^@smithy|^undici$|^node:(http|https|net\/.*|tls)$/;
/** What is no part of a function. */
const onMachines = /^aws-cdk|^constructs$|^dynalite$|^fauxqs$/;
/** The only way into the core. */
const door = "lib/polling/index.ts";
const adapter = ["lib/errors.ts", "lib/events/index.ts", door];

/** What the functions are made of: `lib` without the people's tools. */
const folders = "polling survey-api service events state publisher secrets aws config run monitoring webhooks operator";
const product = ["lib/errors.ts", ...folders.split(" ").map((folder) => `lib/${folder}/`)];

const api = "lib/survey-api";
/** What every room of the survey API client may know. */
const apiGround = ["base-url", "coordination", "diagnostics", "errors", "paths", "when-aborted"].map(
  (name) => `${api}/${name}.ts`,
);

function rule(from: string, mayImport: readonly string[], noPackages: RegExp): Rule {
  return { from, mayImport, noPackages };
}

/** A room of the survey API client, and the rooms below it. */
const apiRoom = (room: string, below: readonly string[]): Rule =>
  rule(`${api}/${room}/`, [...apiGround, ...below.map((name) => `${api}/${name}/`)], aws);

const core = "lib/polling";
/** What the core publishes, and how it is read, is the contract's to say. */
const world = ["lib/errors.ts", "lib/events/index.ts", "lib/events/books-digest.ts", "lib/events/build/"];
/** The rooms of the core, from the highest to the lowest: each knows those below it. A file of its own is a room as well. */
const coreRooms = [
  "tick/",
  ...["poll-survey.ts", "survey-list.ts", "scan-head.ts", "scan-below.ts", "full-read.ts", "recheck.ts", "hints.ts"],
  ...[
    "process-page.ts",
    "skipped-pages.ts",
    "publish/",
    "contents.ts",
    "books.ts",
    "read-ids.ts",
    "ledger/",
    "walk/",
    "model/",
  ],
];
/** What stands between the rooms and the world: no more than the model lies below it. */
const coreGround = ["survey", "learned", "lease", "ports", "errors"].map((name) => `${core}/${name}.ts`);

function coreRoom(room: string): Rule {
  const below = coreRooms.slice(coreRooms.indexOf(room) + 1).map((name) => `${core}/${name}`);
  // Reading pages and what is known of them are pure: they know nothing of a poll and its lease.
  const pure = [`${core}/ports.ts`, `${core}/errors.ts`];
  const ground = room === "model/" ? [] : room === "walk/" ? pure : coreGround;
  return rule(`${core}/${room}`, [...world, ...ground, ...below], awsOrHttp);
}

/** The first rule whose `from` fits a file is the one that holds for it. */
export const rules: readonly Rule[] = [
  rule(door, [`${core}/`], awsOrHttp),
  ...coreRooms.map(coreRoom),
  ...coreGround.map((from) => rule(from, [...world, ...coreGround, `${core}/model/`], awsOrHttp)),
  ...apiGround.map((from) => rule(from, ["lib/errors.ts", ...apiGround], awsOrHttp)),
  apiRoom("rate", []),
  apiRoom("bodies", []),
  apiRoom("http", ["rate"]),
  apiRoom("token", ["bodies", "http", "rate"]),
  rule("lib/survey-api/", ["lib/errors.ts"], aws),
  rule("lib/events/generate/", ["lib/events/", "lib/publisher/claim-check.ts"], awsOrHttp),
  rule("lib/events/", [], awsOrHttp),
  rule(
    "lib/config/",
    // What a base URL may be is the survey API client's to say.
    ["lib/errors.ts", "lib/events/contract.ts", "lib/monitoring/catalog.ts", "lib/survey-api/base-url.ts"],
    awsOrHttp,
  ),
  rule("lib/state/", adapter, noPackage),
  rule("lib/publisher/", [...adapter, "lib/events/build/facts.ts"], noPackage),
  // The credentials and the token store are ports of the survey API client.
  rule("lib/secrets/", [...adapter, "lib/survey-api/index.ts"], noPackage),
  rule("lib/aws/", adapter, /^undici$/),
  rule("lib/service/", [...adapter, "lib/events/build/", "lib/state/shared.ts", "lib/survey-api/index.ts"], aws),
  rule(
    "lib/monitoring/",
    [...adapter, "lib/events/build/fields.ts", "lib/survey-api/diagnostics.ts", "lib/survey-api/index.ts"],
    /^@aws-sdk|^@smithy|^undici$/,
  ),
  // It delivers what is on the bus, and knows nothing of how that came there.
  rule(
    "lib/webhooks/",
    ["lib/errors.ts", "lib/config/index.ts", "lib/monitoring/log.ts", "lib/secrets/secret-values.ts", "lib/aws/"],
    /^aws-cdk|^constructs$|^undici$/,
  ),
  ...["lib/run/", "lib/operator/", "functions/"].map((from) => rule(from, product, onMachines)),
  rule("lib/errors.ts", [], awsOrHttp),
  // Everybody may import it.
  rule("lib/json.ts", [], awsOrHttp),
  // What stands around the product: people's tools, and the whole of it on one machine.
  ...["lib/cli/", "lib/console/", "lib/local/", "infra/"].map((from) =>
    rule(from, ["lib/", "functions/", "infra/"], noPackage),
  ),
  // Tests and examples.
  rule("", [""], noPackage),
];

const STATEMENT = /(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g;

/** Module specifiers that a source file names in import and export statements. */
export function specifiers(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return [...code.matchAll(STATEMENT)].map(([, specifier = ""]) => specifier);
}

/** Every import that the rules forbid, as `file → what it imports`. Files are sources by their path from the root. */
export function violations(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([file, source]) =>
    specifiers(source)
      .filter((specifier) => !allowed(file, specifier))
      .map((specifier) => `${file} → ${specifier}`),
  );
}

function allowed(file: string, specifier: string): boolean {
  const rule = rules.find(({ from }) => file.startsWith(from));
  if (rule === undefined) return false;
  if (!specifier.startsWith(".")) return !rule.noPackages.test(specifier);
  const target = join(dirname(file), specifier);
  // Its own unit tests mirror its folders.
  const isInside = file.startsWith(`${core}/`) || file.startsWith(`test/${core}/`);
  if (target.startsWith(`${core}/`) && target !== door && !isInside) return false;
  if (target === "lib/json.ts" || (rule.from !== "" && target.startsWith(rule.from))) return true;
  return rule.mayImport.some((path) => (/\.ts$/.test(path) ? target === path : target.startsWith(path)));
}
