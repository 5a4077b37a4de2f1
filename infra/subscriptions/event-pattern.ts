import type { EventPattern } from "aws-cdk-lib/aws-events";
import type { SourceConfig } from "../../lib/config/index.ts";
import { DETAIL_TYPE, type EventType } from "../../lib/events/index.ts";

/** All events of these types and sources, or those whose detail matches. The bus may be one that others use too, so both names are asked for. */
export function eventPattern(
  sources: readonly Pick<SourceConfig, "eventSource">[],
  {
    types = [DETAIL_TYPE],
    where,
  }: { types?: readonly EventType[]; where?: Readonly<Record<string, unknown>> | undefined },
): EventPattern {
  return {
    source: [...new Set(sources.map(({ eventSource }) => eventSource))],
    detailType: [...types],
    ...(where === undefined ? {} : { detail: where }),
  };
}
