/** An error that is shown to the person who runs a command as it is. */
export class SentenceError extends Error {}
