import { parseArgs } from "node:util";
import { isObject } from "../../json.ts";
import { parseJson } from "../../secrets/secret-values.ts";
import { runDemoLife } from "./demo.ts";
import type { Settings } from "./settings.ts";
import { startSimulator } from "./simulator.ts";

const usage = `npx node lib/local/simulator/main.ts [options]

A survey service to try the API with, on 127.0.0.1.

  --port N            default 0: a free one
  --seed N            default 1; the same seed gives the same contents
  --surveys N         default 3
  --responses N       completed responses of each survey, default 500
  --open N            open responses of each survey, default 5
  --client-id C       default simulator
  --client-secret S   default simulator-secret
  --settings JSON     any settings, for instance '{"sortKey":"hash","openListed":true}'
  --live              responses keep coming
  --help`;

const options = {
  port: { type: "string", default: "0" },
  seed: { type: "string", default: "1" },
  surveys: { type: "string", default: "3" },
  responses: { type: "string", default: "500" },
  open: { type: "string", default: "5" },
  "client-id": { type: "string", default: "simulator" },
  "client-secret": { type: "string", default: "simulator-secret" },
  settings: { type: "string", default: "{}" },
  live: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) {
    console.log(usage);
    return;
  }
  const responses = wholeNumber("responses", values.responses);
  const open = wholeNumber("open", values.open);
  const seed = wholeNumber("seed", values.seed);
  const simulator = await startSimulator({
    seed,
    port: wholeNumber("port", values.port),
    surveys: Array.from({ length: wholeNumber("surveys", values.surveys) }, (_, index) => ({
      surveyId: 101 + index,
      responses,
      open,
    })),
    settings: readSettings(values.settings),
    clientId: values["client-id"],
    clientSecret: values["client-secret"],
  });
  const { url, clientId, clientSecret } = simulator;
  console.log(`${url}  clientId ${clientId}  clientSecret ${clientSecret}

TOKEN=$(curl -s ${url}/oauth/token/ -d 'clientId=${clientId}&clientSecret=${clientSecret}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
curl -s ${url}/api/v3/surveys/ -H "Authorization: bearer $TOKEN" -H 'Content-Type: application/json'`);

  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      stop.abort();
      void simulator.close();
    });
  }
  if (values.live) await runDemoLife(simulator, { signal: stop.signal, seed });
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not ${text}`);
  return Number(text);
}

function readSettings(text: string): Partial<Settings> {
  const settings = parseJson(text);
  if (!isObject(settings)) throw new Error("--settings must be a JSON object");
  return settings;
}
