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
/** The only way into the core. */
const door = "lib/polling/index.ts";
const adapter = ["lib/errors.ts", "lib/events/index.ts", door];

/** What the functions are made of: `lib` without the people's tools. */
const product = [
  "lib/errors.ts",
  ...[
    "polling",
    "survey-api",
    "service",
    "events",
    "state",
    "publisher",
    "secrets",
    "aws",
    "config",
    "run",
    "monitoring",
    "webhooks",
    "operator",
  ].map((folder) => `lib/${folder}/`),
];

const api = "lib/survey-api";
/** What every room of the survey API client may know. */
const apiGround = ["base-url", "coordination", "diagnostics", "errors", "paths", "when-aborted"].map(
  (name) => `${api}/${name}.ts`,
);

/** A room of the survey API client, and the rooms below it. */
const apiRoom = (room: string, below: readonly string[]): Rule => ({
  from: `${api}/${room}/`,
  mayImport: [...apiGround, ...below.map((name) => `${api}/${name}/`)],
  noPackages: aws,
});

const core = "lib/polling";
/** What the core publishes, and how it is read, is the contract's to say. */
const world = ["lib/errors.ts", "lib/events/index.ts", "lib/events/books-digest.ts", "lib/events/build/"];
/** The rooms of the core, from the highest to the lowest: each knows those below it. A file of its own is a room as well. */
const coreRooms = [
  "tick/",
  "poll-survey.ts",
  "survey-list.ts",
  "scan-head.ts",
  "scan-below.ts",
  "full-read.ts",
  "recheck.ts",
  "hints.ts",
  "process-page.ts",
  "skipped-pages.ts",
  "publish/",
  "contents.ts",
  "books.ts",
  "ledger/",
  "walk/",
  "model/",
];
/** What stands between the rooms and the world: no more than the model lies below it. */
const coreGround = ["survey", "lease", "ports", "errors"].map((name) => `${core}/${name}.ts`);

function coreRoom(room: string): Rule {
  const below = coreRooms.slice(coreRooms.indexOf(room) + 1).map((name) => `${core}/${name}`);
  // Reading pages and what is known of them are pure: they know nothing of a poll and its lease.
  const pure = [`${core}/ports.ts`, `${core}/errors.ts`];
  const ground = room === "model/" ? [] : room === "walk/" ? pure : coreGround;
  return { from: `${core}/${room}`, mayImport: [...world, ...ground, ...below], noPackages: awsOrHttp };
}

/** The first rule whose `from` fits a file is the one that holds for it. */
export const rules: readonly Rule[] = [
  { from: door, mayImport: [`${core}/`], noPackages: awsOrHttp },
  ...coreRooms.map(coreRoom),
  ...coreGround.map((from) => ({
    from,
    mayImport: [...world, ...coreGround, `${core}/model/`],
    noPackages: awsOrHttp,
  })),
  ...apiGround.map((from) => ({ from, mayImport: ["lib/errors.ts", ...apiGround], noPackages: awsOrHttp })),
  apiRoom("rate", []),
  apiRoom("bodies", []),
  apiRoom("http", ["rate"]),
  apiRoom("token", ["bodies", "http", "rate"]),
  { from: "lib/survey-api/", mayImport: ["lib/errors.ts"], noPackages: aws },
  {
    from: "lib/events/generate/",
    mayImport: ["lib/events/", "lib/publisher/claim-check.ts"],
    noPackages: awsOrHttp,
  },
  { from: "lib/events/", mayImport: [], noPackages: awsOrHttp },
  // What a base URL may be is the survey API client's to say.
  {
    from: "lib/config/",
    mayImport: ["lib/errors.ts", "lib/events/contract.ts", "lib/monitoring/catalog.ts", "lib/survey-api/base-url.ts"],
    noPackages: awsOrHttp,
  },
  { from: "lib/state/", mayImport: adapter, noPackages: noPackage },
  { from: "lib/publisher/", mayImport: [...adapter, "lib/events/build/facts.ts"], noPackages: noPackage },
  // The credentials and the token store are ports of the survey API client.
  { from: "lib/secrets/", mayImport: [...adapter, "lib/survey-api/index.ts"], noPackages: noPackage },
  { from: "lib/aws/", mayImport: adapter, noPackages: /^undici$/ },
  {
    from: "lib/service/",
    mayImport: [...adapter, "lib/events/build/", "lib/state/shared.ts", "lib/survey-api/index.ts"],
    noPackages: aws,
  },
  {
    from: "lib/monitoring/",
    mayImport: [...adapter, "lib/events/build/fields.ts", "lib/survey-api/diagnostics.ts", "lib/survey-api/index.ts"],
    noPackages: /^@aws-sdk|^@smithy|^undici$/,
  },
  // It delivers what is on the bus, and knows nothing of how that came there.
  {
    from: "lib/webhooks/",
    mayImport: [
      "lib/errors.ts",
      "lib/config/index.ts",
      "lib/monitoring/log.ts",
      "lib/secrets/secret-values.ts",
      "lib/aws/",
    ],
    noPackages: /^aws-cdk|^constructs$|^undici$/,
  },
  { from: "lib/run/", mayImport: product, noPackages: /^aws-cdk|^constructs$|^dynalite$|^fauxqs$/ },
  { from: "lib/operator/", mayImport: product, noPackages: /^aws-cdk|^constructs$|^dynalite$|^fauxqs$/ },
  { from: "lib/errors.ts", mayImport: [], noPackages: awsOrHttp },
  // Everybody may import it.
  { from: "lib/json.ts", mayImport: [], noPackages: awsOrHttp },
  { from: "functions/", mayImport: product, noPackages: /^aws-cdk|^constructs$|^dynalite$|^fauxqs$/ },
  // What stands around the product: people's tools, and the whole of it on one machine.
  ...["lib/cli/", "lib/console/", "lib/local/", ""].map((from) => ({
    from,
    mayImport: ["lib/", "functions/", "infra/"],
    noPackages: noPackage,
  })),
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

/** Imports of the core that go past its door, as `file → what it imports`. Its own unit tests mirror its folders. */
export function pastTheDoor(files: ReadonlyMap<string, string>): string[] {
  const isInside = (path: string): boolean => path.startsWith(`${core}/`) || path.startsWith(`test/${core}/`);
  return [...files].flatMap(([file, source]) =>
    specifiers(source)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => join(dirname(file), specifier))
      .filter((target) => target.startsWith(`${core}/`) && target !== door && !isInside(file))
      .map((target) => `${file} → ${target}`),
  );
}

function allowed(file: string, specifier: string): boolean {
  const rule = rules.find(({ from }) => file.startsWith(from));
  if (rule === undefined) return false;
  if (!specifier.startsWith(".")) return !rule.noPackages.test(specifier);
  const target = join(dirname(file), specifier);
  if (target === "lib/json.ts" || (rule.from !== "" && target.startsWith(rule.from))) return true;
  return rule.mayImport.some((path) => (path.endsWith("/") ? target.startsWith(path) : target === path));
}

/** Files that import each other, by whatever way around, type-only imports included: each circle as the paths in it, sorted. */
export function circles(files: ReadonlyMap<string, string>): string[][] {
  const imports = new Map(
    [...files].map(([file, source]) => [
      file,
      specifiers(source)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => join(dirname(file), specifier)),
    ]),
  );
  const reached = new Map([...imports.keys()].map((file) => [file, reachableFrom(file, imports)]));
  const found = new Map<string, string[]>();
  for (const [file, others] of reached) {
    if (!others.has(file)) continue;
    const circle = [...others].filter((other) => reached.get(other)?.has(file) === true).sort();
    found.set(circle.join(), circle);
  }
  return [...found.values()];
}

function reachableFrom(file: string, imports: ReadonlyMap<string, string[]>): Set<string> {
  const met = new Set<string>();
  const toVisit = [...(imports.get(file) ?? [])];
  for (let next = toVisit.pop(); next !== undefined; next = toVisit.pop()) {
    if (met.has(next)) continue;
    met.add(next);
    toVisit.push(...(imports.get(next) ?? []));
  }
  return met;
}
