#!/usr/bin/env node
// Plain JavaScript, so that a Node that is not the pinned one gets an explanation instead of a syntax error.
import "../preflight.mjs";

await import("./main.ts");
