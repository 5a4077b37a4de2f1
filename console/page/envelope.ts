/** The part of a delivered event that the page reads. */
export interface Envelope {
  "detail-type": string;
  source: string;
  id: string;
  time: string;
  detail: {
    meta?: { eventId?: string };
    data?: {
      surveyId?: number;
      responseId?: number;
      survey?: { name?: string | null } | null;
      summary?: { nps?: { score: number; class: string } | null };
    };
  };
}
