/** The database and the table of all events, and where its files lie in the bucket. */
export const DATABASE = "surveys";
export const TABLE = "survey_events";
export const EVENTS = "events";
