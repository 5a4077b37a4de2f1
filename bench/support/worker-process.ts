import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleFunction } from "../../infra/bundle.ts";
import { type PollSurveyHandler, runQueue } from "../../local/runner/queue-loop.ts";

// The worker function in a process of its own, as Lambda runs it beside the other function: see worker.ts.

const [queueUrl = "", folder = "", configuration = ""] = process.argv.slice(2);
const { file } = bundleFunction("poll-survey", join(folder, "worker"), JSON.parse(configuration));
const { handler } = (await import(pathToFileURL(file).href)) as { handler: PollSurveyHandler };
runQueue({ handler, queueUrl, concurrency: 2, say: () => {} });
process.on("disconnect", () => process.exit(0));
