import { isObject, toFilledText, toLine } from '#plugin-api'

/** A person mentioned by a key in a text. */
export interface Mention {
  key: string
  open_id?: string
  name?: string
}

const KEYS = /@_(?:user_\d+|all) ?/g

/** Reads the mentions of a message from an event or the API. */
export function readMentions(mentions: unknown): Mention[] {
  if (!Array.isArray(mentions)) return []
  return mentions.filter(isObject).flatMap(({ key, id, name }) => {
    const open_id = toFilledText(isObject(id) ? id.open_id : id)
    const shownName = toLine(toFilledText(name) ?? '')
    return typeof key === 'string'
      ? [{ key, ...(open_id && { open_id }), ...(shownName && { name: shownName }) }]
      : []
  })
}

/** Replaces keys by names and removes the mention of the bot. */
export function resolveMentions(text: string, mentions: readonly Mention[], bot: string): string {
  const byKey = new Map(mentions.map((mention) => [mention.key, mention]))
  return text
    .replace(KEYS, (match) => {
      const key = match.trimEnd()
      if (key === '@_all') return match.replace('_', '')
      const mention = byKey.get(key)
      if (mention?.open_id === bot) return ''
      return mention?.name ? match.replace(key, `@${mention.name}`) : match
    })
    .trim()
}
