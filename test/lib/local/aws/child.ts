/**
 * The embedded AWS in a process of its own, to be killed: prints how it is reached as one JSON line, and appends each event
 * that its buses accept to a file.
 *
 * Usage: node child.ts DATA_DIR EVENTS_FILE
 */
import { appendFileSync } from "node:fs";
import { startEmbeddedAws } from "../../../../lib/local/aws/index.ts";

const [dataDir = "", eventsFile = ""] = process.argv.slice(2);
const aws = await startEmbeddedAws({
  dataDir,
  onEvent: (event) => appendFileSync(eventsFile, `${JSON.stringify(event)}\n`),
});
process.stdout.write(`${JSON.stringify({ endpoint: aws.endpoint, credentials: aws.credentials })}\n`);
