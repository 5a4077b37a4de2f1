/** The events of a survey in this run. */
export interface Emissions {
  /** Events, as the function counts them. */
  count: number;
  /** Responses whose first event the bus has taken after this moment (epoch milliseconds). */
  since(at: number): number[];
}

export interface EmissionsLog extends Emissions {
  response(responseId: number, at: number): void;
}

export function createEmissions(): EmissionsLog {
  const firstAt = new Map<number, number>();
  return {
    count: 0,
    response(responseId, at) {
      if (!firstAt.has(responseId)) firstAt.set(responseId, at);
    },
    since: (moment) => [...firstAt].filter(([, at]) => at > moment).map(([responseId]) => responseId),
  };
}
