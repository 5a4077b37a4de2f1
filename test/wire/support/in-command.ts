// Loaded into the process of the command before the command itself, to do what nobody outside can do in time: end it at
// the very request named, or set faults of the embedded AWS, which lives in that process.
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import type { EmbeddedAws } from "../../../lib/local/aws/index.ts";
import { createFaults, type FaultHandle } from "../../support/aws/faults.ts";
import { operationOf } from "../../support/aws/operation.ts";
import { type KillMoment, SCRIPT, type Script } from "./script.ts";

const script = JSON.parse(process.env[SCRIPT] ?? "{}") as Script;
if (script.kill !== undefined) killAt(script.kill);
if (script.faults !== undefined) setFaults(script.faults);
if (script.ahead !== undefined) setClockAhead(script.ahead);

function killAt({ of, nth, phase }: KillMoment): void {
  let seen = 0;
  const count = (): void => {
    seen += 1;
    // At once: nothing that comes after this line takes place.
    if (seen === nth) process.kill(process.pid, "SIGKILL");
  };
  if (of === "service") subscribe("survey-poller:request", count);
  const operations = { service: [], "table-write": ["UpdateItem", "PutItem", "BatchWriteItem"], bus: ["PutEvents"] }[
    of
  ];
  subscribe("survey-poller:embedded-aws", (aws) => {
    (aws as EmbeddedAws).use((service, request, response, next) => {
      const isMeant = operations.some((one) => one === operationOf(service, request));
      if (isMeant && phase === "arrived") count();
      if (isMeant && phase === "answered") response.once("finish", count);
      next(request, response);
    });
  });
}

/** How many requests each has hit is left in a file when the command ends. */
function setFaults({ list, hitsFile }: NonNullable<Script["faults"]>): void {
  const handles: FaultHandle[] = [];
  subscribe("survey-poller:embedded-aws", (aws) => {
    const faults = createFaults(aws as EmbeddedAws);
    for (const fault of list) handles.push(faults.add(fault));
  });
  process.on("exit", () => writeFileSync(hitsFile, JSON.stringify(handles.map((handle) => handle.hits()))));
}

function setClockAhead(milliseconds: number): void {
  const { now } = Date;
  Date.now = () => now() + milliseconds;
}
