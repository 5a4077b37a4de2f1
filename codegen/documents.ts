/**
 * Writes the generated tables of the documents: the fields of the configuration, from its schema.
 *
 * Usage: node codegen/documents.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { configurationTables, withTables } from "./configuration.ts";

const tables = configurationTables();
const file = new URL("../docs/configuration.md", import.meta.url);
writeFileSync(file, withTables(readFileSync(file, "utf8"), tables));
