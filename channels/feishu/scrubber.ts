/** Takes out of texts what must not be shown or logged. */
export interface Scrubber {
  /** What is to be taken out from now on; a handful of the latest count. */
  hide(secret: string): void
  scrub(text: string): string
}

/** How many tokens are remembered beside the secrets of the config: each lives for two hours. */
const MAX_TOKENS = 8

const MAX_LENGTH = 300

/** An address's query holds tickets and keys; the rest tells where. */
const QUERY = /(\b(?:https?|wss?):\/\/[^\s?"']+)\?[^\s"']*/g

/** Makes a scrubber of these secrets; what it gives is short. */
export function createScrubber(secrets: (string | undefined)[]): Scrubber {
  const fixed = secrets.filter((secret) => secret !== undefined && secret !== '')
  const hidden: string[] = []
  return {
    hide(secret) {
      hidden.push(secret)
      if (hidden.length > MAX_TOKENS) hidden.shift()
    },
    scrub(text) {
      let clean = text
      for (const secret of [...fixed, ...hidden]) clean = clean.replaceAll(secret!, '[hidden]')
      return clean.replace(QUERY, '$1').slice(0, MAX_LENGTH)
    },
  }
}
