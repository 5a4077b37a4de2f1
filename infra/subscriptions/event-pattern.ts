import type { EventPattern } from "aws-cdk-lib/aws-events";
import type { SourceConfig } from "../../lib/config/index.ts";
import { DETAIL_TYPE } from "../../lib/events/index.ts";

/** All events of these sources, or those whose detail matches. The bus may be one that others use too, so both names are asked for. */
export function eventPattern(
  sources: readonly Pick<SourceConfig, "eventSource">[],
  where?: Readonly<Record<string, unknown>>,
): EventPattern {
  return {
    source: [...new Set(sources.map(({ eventSource }) => eventSource))],
    detailType: [DETAIL_TYPE],
    ...(where === undefined ? {} : { detail: where }),
  };
}
