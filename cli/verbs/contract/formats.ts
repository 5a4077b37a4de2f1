import { EVENT_TYPES, type EventType } from "../../../lib/events/contract.ts";
import { type ContractFile, contractFiles, readGolden } from "../../contract/folder.ts";
import { UsageError } from "../../flags.ts";

/** The formats that `--format` takes, and where each lies. */
const FORMATS = {
  schema: { part: "json-schema", about: "JSON Schema 2020-12" },
  "schema-draft-4": { part: "json-schema/draft-4", about: "JSON Schema draft 4, as the EventBridge registry takes it" },
  asyncapi: { part: "asyncapi.yaml", about: "AsyncAPI 3.1" },
  ts: { part: "events.d.ts", about: "TypeScript" },
  pydantic: { part: "python", about: "Python, pydantic 2" },
  java: { part: "java", about: "Java records" },
  sample: { part: "golden", about: "an event as EventBridge delivers it" },
} as const;

export type Format = keyof typeof FORMATS;
export const formats = Object.keys(FORMATS) as Format[];

export interface Listed extends ContractFile {
  format: Format;
  /** Of events, where the file is about one type. */
  type: EventType | null;
}

/** All files of the contract that a format has. */
export function filesOf(format: Format): Listed[] {
  const { part } = FORMATS[format];
  const inFolder = contractFiles(part).filter(({ path }) => format !== "schema" || !path.includes("/draft-4/"));
  return inFolder.map((file) => ({ format, type: typeOf(format, file.path), ...file }));
}

/**
 * The files that are meant: one, but for Java.
 *
 * @param type an event type; for samples also the name of one
 * @throws UsageError
 */
export function chosenFiles(format: Format, type: string | undefined): Listed[] {
  const files = filesOf(format);
  if (type === undefined) {
    if (format === "schema") return files.filter((file) => file.type === null);
    if (format === "sample") return files.filter(({ path }) => nameOf(path) === "ordinary");
    if (format !== "schema-draft-4") return files;
    throw new UsageError("--type is missing", {
      hint: `This format has a file for each type: ${EVENT_TYPES.join(", ")}.`,
    });
  }
  if (files.every((file) => file.type === null)) {
    throw new UsageError(`--format ${format} has no --type: all types are in it`, { hint: "Leave --type out." });
  }
  const named = files.filter(({ path }) => nameOf(path) === type);
  const ofType = named.length > 0 ? named : samplesFirst(files.filter((file) => file.type === type));
  const [first] = ofType;
  if (first !== undefined) return [first];
  const known = [...new Set([...EVENT_TYPES, ...files.map(({ path }) => nameOf(path))])];
  throw new UsageError("--type is unknown", {
    hint: `Known here: ${known.filter((name) => name !== "events").join(", ")}.`,
  });
}

/** A format in words. */
export function aboutOf(format: Format): string {
  return FORMATS[format].about;
}

function typeOf(format: Format, path: string): EventType | null {
  if (format === "sample") return readGolden(nameOf(path))["detail-type"];
  return EVENT_TYPES.find((type) => type === nameOf(path)) ?? null;
}

/** Of a type the ordinary one, where there are several. */
function samplesFirst(files: readonly Listed[]): Listed[] {
  const rank = ({ path }: Listed): number => (nameOf(path) === "ordinary" ? 0 : 1);
  return [...files].sort((one, other) => rank(one) - rank(other));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.(json|yaml|d\.ts|py|java)$/, "");
}
