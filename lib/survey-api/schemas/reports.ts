/**
 * An item of the list of reports (operation 5), whose fields the API document does not show (section 2.8). It has the identifier where one
 * can be made out, and the item as it was read.
 */
export interface ReportListItem {
  /** For operation 12; undefined when the item shows none. */
  reportId: number | undefined;
  raw: unknown;
}
