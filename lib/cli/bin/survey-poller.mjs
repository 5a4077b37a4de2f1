#!/usr/bin/env node
// Plain JavaScript, so that a Node that is not the pinned one gets an explanation instead of a syntax error.
import "../../preflight.mjs";
import module from "node:module";

// What is compiled once is ready sooner the next time: most of what a short command takes is reading its own code.
module.enableCompileCache?.();

await import("../main.ts");
