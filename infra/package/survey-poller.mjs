#!/usr/bin/env node
// Plain JavaScript, so that an old Node gets an explanation instead of a syntax error.
import { existsSync } from "node:fs";

// In a checkout npx finds this file first, and what stands beside it is as old as the last build.
const ofCheckout = new URL("../../lib/cli/bin/survey-poller.mjs", import.meta.url);
await (existsSync(ofCheckout) ? import(ofCheckout.href) : runPackage());

async function runPackage() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 19)) {
    process.stderr.write(
      `The command survey-poller needs Node 22.19 or newer, but runs on ${process.versions.node}. The construct and the events need Node 20.11 only.\n`,
    );
    process.exit(1);
  }
  // What is compiled once is ready sooner the next time: most of what a short command takes is reading its own code.
  const { enableCompileCache } = await import("node:module");
  enableCompileCache?.();
  await import("./main.js");
}
