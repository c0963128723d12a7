/** The database cannot be used; the message is a sentence for whoever started the server. */
export class DatabaseFailure extends Error {}

/**
 * Creates the failure of an engine that does not serve its directory. `event` says what the engine did, and `words` is
 * its own message, which may be empty.
 */
export function engineFailure(directory: string, event: string, words: string, options?: ErrorOptions) {
  const reason = words
    ? `: ${words}`
    : ' and left no message, which happens when files are damaged; "svc restore" makes a home from a backup, and SVC_HOME chooses another home'
  return new DatabaseFailure(
    `the database in ${directory} cannot be used, because its engine ${event}${reason}`,
    options,
  )
}
