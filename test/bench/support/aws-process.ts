import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedAws } from "../../../lib/local/aws/index.ts";
import { countRequests } from "../../support/aws/start-aws.ts";

// The embedded AWS in a process of its own, so that its work is not the poller's: see aws.ts.

const dataDir = await mkdtemp(join(tmpdir(), "survey-poller-bench-"));
let events = 0;
const aws = await startEmbeddedAws({
  dataDir,
  onEvent: () => {
    events += 1;
  },
});
const counters = countRequests(aws);
process.on("message", () => process.send?.({ events, counters: counters() }));
process.on("disconnect", () => {
  rmSync(dataDir, { recursive: true, force: true });
  process.exit(0);
});
process.send?.({ env: aws.env });
