/**
 * Writes into docs/configuration.md what each field takes, and its default, as the schema of the configuration has them.
 *
 * Usage: node codegen/documents.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { withFields } from "./configuration.ts";

const file = new URL("../docs/configuration.md", import.meta.url);
writeFileSync(file, withFields(readFileSync(file, "utf8")));
