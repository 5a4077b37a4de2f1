/** The text that the page is given in the place of something personal. */
export const MASK = "•••";
