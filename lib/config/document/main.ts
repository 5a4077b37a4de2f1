/**
 * Writes into docs/configuration.md what each field takes, and its default, as the schema of the configuration has them.
 *
 * Usage: node lib/config/document/main.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { withFields } from "./fields.ts";

const file = new URL("../../../docs/configuration.md", import.meta.url);
writeFileSync(file, withFields(readFileSync(file, "utf8")));
