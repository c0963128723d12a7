/** Number of remembered tokens, beside the secrets of the config; each is valid for two hours. */
const MAX_TOKENS = 8

const MAX_LENGTH = 300

/** Queries of addresses contain tickets and keys. */
const QUERY = /(\b(?:https?|wss?):\/\/[^\s?"']+)\?[^\s"']*/g

/** Creates a scrubber for these secrets, which also truncates texts. */
export function createScrubber(secrets: (string | undefined)[]) {
  const fixed = secrets.filter((secret) => secret !== undefined && secret !== '')
  const hidden: string[] = []
  return {
    /** Adds a secret; only the latest few are remembered. */
    hide(secret: string): void {
      hidden.push(secret)
      if (hidden.length > MAX_TOKENS) hidden.shift()
    },
    scrub(text: string): string {
      let clean = text
      for (const secret of [...fixed, ...hidden]) clean = clean.replaceAll(secret!, '[hidden]')
      return clean.replace(QUERY, '$1').slice(0, MAX_LENGTH)
    },
  }
}

/** Removes secrets from texts that are shown or logged. */
export type Scrubber = ReturnType<typeof createScrubber>
