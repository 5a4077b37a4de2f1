// Loaded into the process of the command before the command itself, to do what nobody outside can do in time: end it at
// the very request named, or set faults of the embedded AWS, which lives in that process.
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import type { AwsRequestEvent, StartedEvent } from "../../../local/aws/diagnostics.ts";
import type { FaultHandle } from "../../../local/aws/index.ts";
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
  subscribe("survey-poller:aws-request", (message) => {
    const request = message as AwsRequestEvent;
    if (request.phase !== phase) return;
    const isWrite = ["UpdateItem", "PutItem", "BatchWriteItem"].includes(request.operation);
    if (of === "table-write" ? isWrite : of === "bus" && request.operation === "PutEvents") count();
  });
}

/** Cleared on SIGUSR2. How many requests each has hit is left in a file when the command ends. */
function setFaults({ list, hitsFile }: NonNullable<Script["faults"]>): void {
  const handles: FaultHandle[] = [];
  subscribe("survey-poller:embedded-aws", (message) => {
    const { faults } = message as StartedEvent;
    for (const fault of list) handles.push(faults.add(fault));
    process.on("SIGUSR2", () => faults.clear());
  });
  process.on("exit", () => writeFileSync(hitsFile, JSON.stringify(handles.map((handle) => handle.hits()))));
}

function setClockAhead(milliseconds: number): void {
  const { now } = Date;
  Date.now = () => now() + milliseconds;
}
