import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { momentOf } from "../../moments.ts";
import type { Target } from "../../target/target.ts";
import { readTableList, tableAndAttribute } from "./lists/dynamodb.ts";
import { readFileList } from "./lists/lines.ts";
import type { ListReader, TakenList } from "./lists/list.ts";
import { bucketAndPrefix } from "./lists/s3-prefix.ts";

export interface ListOptions {
  ids?: string | undefined;
  dynamodb?: string | undefined;
  s3?: string | undefined;
  s3Contents?: true | undefined;
  asOf?: string | undefined;
}

/**
 * Looks at what the flags say before anything is opened.
 *
 * @throws UsageError
 */
export function checkList({ ids, dynamodb, s3, s3Contents, asOf }: ListOptions): void {
  const hint = "Give one of --ids FILE, --dynamodb TABLE and --s3 PREFIX.";
  const given = [ids, dynamodb, s3].filter((one) => one !== undefined).length;
  if (given === 0) throw new UsageError("it is not said what the consumer has", { hint });
  if (given > 1) throw new UsageError("there is more than one list of the consumer", { hint });
  if (s3Contents === true && s3 === undefined) {
    throw new UsageError("--s3-contents belongs to --s3", { hint: "Add --s3 s3://BUCKET/PREFIX." });
  }
  if (dynamodb !== undefined) tableAndAttribute(dynamodb);
  if (s3 !== undefined) bucketAndPrefix(s3);
  if (asOf !== undefined) momentOf("--as-of", asOf);
}

/** Reads what the consumer has into the reader's set. */
export async function readList(
  target: Target,
  { ids, dynamodb, s3, s3Contents, asOf }: ListOptions,
  { input }: Pick<Io, "input">,
  reader: ListReader,
): Promise<TakenList> {
  const list =
    dynamodb !== undefined
      ? await readTableList(target, dynamodb, reader)
      : s3 !== undefined
        ? // The client of S3 is large: no other list needs it.
          await (await import("./lists/s3.ts")).readObjectList(target, s3, s3Contents === true, reader)
        : await readFileList(ids ?? "-", input, reader);
  return asOf === undefined ? list : { ...list, asOf: momentOf("--as-of", asOf) };
}
