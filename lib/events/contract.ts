// Apart from the schema: who makes events does not have to wait for that to be made, too.

/** DetailType of the event. */
export const DETAIL_TYPE = "response.completed";

/** Version of the contract; a field added is not a new version. */
export const SCHEMA_VERSION = "1";
