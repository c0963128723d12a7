/** The embedded engine does not serve its directory; the message is a sentence for whoever started the server. */
export class EngineFailure extends Error {
  /** `what` says what the engine did, and `words` is its own message, which may be empty. */
  constructor(directory: string, what: string, words: string, options?: ErrorOptions) {
    const reason = words
      ? `: ${words}`
      : ' and left no message, which happens when files are damaged; "svc restore" makes a home from a backup, and SVC_HOME chooses another home'
    super(`the database in ${directory} cannot be used, because its engine ${what}${reason}`, options)
  }
}
